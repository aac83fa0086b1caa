"""Models that are a Python class: ``python/my_module:MyModel``, ``python/path/to/file.py:MyModel``.

The class has one of two methods. Parts are texts (``str``) and pictures (``PIL.Image.Image``) in
the order of the question; ``parameters`` of the entry are keywords of the constructor::

    class MyModel:
        def __init__(self, temperature: float = 0.0) -> None: ...
        def answer(self, parts: list[str | Image]) -> str: ...
        def answer_many(self, questions: Sequence[list[str | Image]]) -> Iterable[str]: ...

``answer_many`` may answer in batches. Pictures are decoded where a question is indexed.
"""

import importlib.util
import inspect
import io
import pkgutil
import sys
from collections.abc import Callable, Iterator, Sequence, Sized
from functools import cached_property, lru_cache
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, overload

from PIL import Image

from enact_assets.answers.models.entries import Model
from enact_assets.answers.models.messages import Message, PictureReader, Text
from enact_assets.answers.models.replies import Reply
from enact_assets.engine.errors import EnactError, PredictionError
from enact_assets.engine.ids import content_sha, sha256_bytes, short_id

KEPT_PICTURES = 128
"""Decoded pictures in memory: 0.8 MB each."""
_INSTALLED = {"site-packages", "dist-packages"}
_loaded: dict[str, str] = {}
"""Module -> version of its code when this process first loaded a model from it."""

Parts = list[str | Image.Image]


class Questions(Sequence[Parts]):
    """Questions as a user's class takes them; pictures are read and decoded at each access.

    Many questions show the same pictures: the latest stay decoded, and each access gets copies.
    """

    def __init__(self, messages: Sequence[Message], read_picture: PictureReader) -> None:
        self._messages, self._read = messages, read_picture
        self._picture = lru_cache(KEPT_PICTURES)(lambda sha: _decoded(read_picture(sha)))

    def __len__(self) -> int:
        return len(self._messages)

    @overload
    def __getitem__(self, at: int) -> Parts: ...
    @overload
    def __getitem__(self, at: slice) -> "Questions": ...
    def __getitem__(self, at: int | slice) -> "Parts | Questions":
        if isinstance(at, slice):
            return Questions(self._messages[at], self._read)
        return [
            part.text if isinstance(part, Text) else self._picture(part.sha).copy()
            for part in self._messages[at].parts
        ]


class PythonModel:
    """A model of channel ``python``.

    ``version`` is what the entry says. Without one it is the hash of the class's file; for a class
    of a package that of all its ``.py`` files, or name and version of the distribution where it is
    installed as one. What the class imports from elsewhere, and files of weights, do not count:
    name them in ``parameters``.

    Errors: :class:`PredictionError` if there is no such file or module.
    """

    def __init__(self, model: Model) -> None:
        self._parameters = dict(model.parameters)
        self._asked = model.asked_id
        self._where, _, self._class_name = model.asked_id.rpartition(":")
        if not self._where or not self._class_name:
            raise PredictionError(
                f"{model.name}: `python/{model.asked_id}` names no class. Write "
                "`python/my_module:MyModel` or `python/path/to/file.py:MyModel`."
            )
        if self._where.endswith(".py"):
            self._file = model.folder / self._where
            self._source = _read(self._file)
            self._code = f"file {sha256_bytes(self._source)}"
        else:
            self._code = _module_version(self._where)
        given = model.entry.version
        self.version = self._code if given is None else str(given)

    def answers(
        self, messages: Sequence[Message], read_picture: PictureReader
    ) -> Iterator[Reply | Exception]:
        """One reply or error per message, in order, as they come.

        An exception of ``answer`` is the error of its question. One of ``answer_many`` is that of
        the first question without an answer; it is called again with the rest.

        Errors: :class:`PredictionError` if the class cannot be loaded or made, or does not give
        one answer per question; those of the reader of pictures.
        """
        made, questions = self._made, Questions(messages, read_picture)
        if hasattr(made, "answer_many"):
            yield from self._many(made.answer_many, questions)
            return
        for parts in questions:
            try:
                yield self._reply(made.answer(parts))
            except Exception as error:  # noqa: BLE001 - whatever the user's code raises
                yield self._error(error)

    def _many(
        self, answer_many: Callable[[Questions], Any], questions: Questions
    ) -> Iterator[Reply | Exception]:
        done = 0
        while done < len(questions):
            rest = questions[done:]
            try:
                given = answer_many(rest)
                self._check_number(given, len(rest))
                for at, answer in enumerate(given, done + 1):
                    if at > len(questions):
                        raise self._wrong_number("more", len(rest))
                    done = at
                    yield answer if isinstance(answer, Exception) else self._reply(answer)
            except EnactError:
                raise
            except Exception as error:  # noqa: BLE001 - whatever the user's code raises
                done += 1
                yield self._error(error)
                continue
            if done < len(questions):
                raise self._wrong_number("fewer", len(rest))

    def _check_number(self, given: Any, expected: int) -> None:
        if isinstance(given, str) or not hasattr(given, "__iter__"):
            raise PredictionError(
                f"{self._asked}: answer_many must return or yield one text per question, not "
                f"{type(given).__name__}"
            )
        if isinstance(given, Sized) and len(given) != expected:
            raise self._wrong_number(str(len(given)), expected)

    def _wrong_number(self, given: str, expected: int) -> PredictionError:
        return PredictionError(
            f"{self._asked}: answer_many gave {given} answers for {expected} questions. It must "
            "give one per question, in order; yield an exception for a question without answer."
        )

    def _reply(self, answer: Any) -> Reply | PredictionError:
        if isinstance(answer, str):
            return Reply(answer, "complete")
        return PredictionError(f"{self._asked}: answered {type(answer).__name__} instead of str")

    def _error(self, error: Exception) -> PredictionError:
        found = PredictionError(f"{self._asked}: {type(error).__name__}: {error}")
        found.__cause__ = error
        return found

    @cached_property
    def _made(self) -> Any:
        found = self._class
        _check_call(self._asked, found, **self._parameters)
        try:
            return found(**self._parameters)
        except Exception as error:
            raise self._error(error) from error

    @cached_property
    def _class(self) -> type[Any]:
        try:
            if self._where.endswith(".py"):
                found: Any = _module_of_file(self._file, self._source)
                for name in self._class_name.split("."):
                    found = getattr(found, name)
            else:
                found = pkgutil.resolve_name(self._asked)
                self._check_loaded()
        except EnactError:
            raise
        except Exception as error:
            raise PredictionError(
                f"{self._asked} could not be loaded: {type(error).__name__}: {error}"
            ) from error
        if not isinstance(found, type):
            raise PredictionError(f"{self._asked} is no class")
        for method in ("answer_many", "answer"):
            if hasattr(found, method):
                bound = inspect.getattr_static(found, method)
                of_itself = () if isinstance(bound, staticmethod | classmethod) else (None,)
                _check_call(f"{self._asked}.{method}", getattr(found, method), *of_itself, [])
                return found
        raise PredictionError(
            f"{self._asked} has neither `answer(self, parts)` nor `answer_many(self, questions)`"
        )

    def _check_loaded(self) -> None:
        if _loaded.setdefault(self._where, self._code) != self._code:
            raise PredictionError(
                f"{self._where} changed since this process loaded it. Start a new process."
            )


def _decoded(data: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(data))
    picture.load()
    return picture


def _check_call(what: str, called: Callable[..., Any], *args: Any, **keywords: Any) -> None:
    try:
        inspect.signature(called).bind(*args, **keywords)
    except ValueError:
        return  # written in C: the signature is unknown
    except TypeError as error:
        raise PredictionError(
            f"{what} cannot be called with {', '.join(keywords) or 'one argument'}: {error}. "
            "The constructor takes `parameters` of the model, `answer` parts, `answer_many` "
            "questions."
        ) from error


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise PredictionError(
            f"{path} cannot be read: {error.strerror or error}. Paths of models start at "
            "the data root."
        ) from error


def _module_of_file(path: Path, source: bytes) -> ModuleType:
    """A module of its own for each content: a changed file is not mistaken for the older one."""
    name = f"enact_model_{short_id(str(path), sha256_bytes(source))}"
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)  # noqa: S102 - the user's own file
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _module_version(module: str) -> str:
    top = module.partition(".")[0]
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        raise PredictionError(
            f"there is no module {top}. Install it, add its folder to PYTHONPATH, or write "
            "`python/path/to/file.py:MyModel` with a path that starts at the data root."
        )
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    origin = Path(spec.origin) if spec.has_location and spec.origin else None
    places = folders or ([origin] if origin else [])
    if any(_INSTALLED & set(place.parts) for place in places):
        names = sorted(set(metadata.packages_distributions().get(top, ())))
        if names:
            return ", ".join(f"{name} {metadata.version(name)}" for name in names)
    files = {
        path.relative_to(folder).as_posix(): path
        for folder in folders
        for path in sorted(folder.rglob("*.py"))
    } or ({origin.name: origin} if origin else {})
    if not files:
        raise PredictionError(f"module {top} has no source, so that its version cannot be known")
    shas = {name: sha256_bytes(_read(path)) for name, path in files.items()}
    return f"{'package' if folders else 'module'} {content_sha(shas)}"
