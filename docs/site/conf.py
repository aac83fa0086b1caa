"""Settings of Sphinx for the site: ``make docs`` runs it on the tree of build_site.py."""

import builtins
import importlib
import inspect
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments.lexers.special import TextLexer

import enact_assets
from enact_assets import __version__
from enact_assets.engine.system.public_names import names_of_stub

project = "enact_assets"
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "index"
include_patterns = ["*.md", "docs/*.md", "sql/README.md", "deploy/README.md", "pages/**"]
exclude_patterns = ["docs/index.md"]
nitpicky = True

html_theme = "furo"
html_title = "enact_assets"
html_copy_source = False
html_show_sourcelink = False
html_static_path = ["static"]
html_css_files = ["site.css"]

# Headings have the anchors that GitHub gives them.
myst_heading_anchors = 4
# Our Python blocks are checked by tests; Sphinx only colours them.
highlight_language = "text"

add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88

# Where a name lives -> the name that the pages document.
_PUBLIC = {
    f"{place.module}.{place.name}": f"enact_assets.{name}"
    for name, place in names_of_stub(Path(enact_assets.__file__).with_suffix(".pyi")).items()
}
_DOTTED = re.compile(r"enact_assets(?:\.\w+)+")
_FUNCTION = re.compile(r"<function (?:<lambda>|[\w.]+)>")
_DOCSTRING = re.compile(r":docstring of ([\w.]+)$")
_HEADING = re.compile(r'^(#+ )<a id="([^"]+)"></a>(.*)$', re.MULTILINE)


def setup(app: Any) -> None:
    """Hooks: anchors in headings, names as they are imported, names that no page documents."""
    app.connect("source-read", _anchor_headings)
    app.connect("autodoc-process-signature", _name_publicly)
    app.connect("missing-reference", _find_name)
    app.add_lexer("csv", TextLexer)


def _anchor_headings(_app: Any, _page: str, source: list[str]) -> None:
    """``## <a id="d2"></a>2 Key frames`` (for GitHub) is a target that links may name."""
    source[0] = _HEADING.sub(r"(\2)=\n\1\3", source[0])


def _name_publicly(*event: Any) -> tuple[str | None, str | None]:
    """Signature and return type with the names that are imported in place of where they live.

    A default that is a function has no form in Python's syntax, without which Sphinx shows a
    signature as it is: it becomes an ellipsis.
    """
    *_, signature, returned = event
    shown = signature and _FUNCTION.sub("...", signature)
    return tuple(part and _DOTTED.sub(lambda m: _public(m[0]), part) for part in (shown, returned))


def _public(dotted: str) -> str:
    """A documented name, or an attribute of it, by its public name; any other as it is."""
    parts = dotted.split(".")
    for n in range(len(parts), 0, -1):
        if public := _PUBLIC.get(".".join(parts[:n])):
            return ".".join((public, *parts[n:]))
    return dotted


def _find_name(app: Any, env: Any, node: Any, contnode: Any) -> Any:
    """A link to what a name means where it is written, or to the only documented one that ends so;
    plain text for other names that exist.

    A name that exists nowhere stays unresolved, and the build fails.
    """
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"].removeprefix("~").lstrip(".")
    python, places = env.get_domain("py"), _places(node)
    meant = [found for name in _seen_from(target, places) if (found := _public(name)) != name]
    ending = [
        name
        for name, entry in python.objects.items()
        if not entry.aliased and (name == target or name.endswith(f".{target}"))
    ]
    named = [name for name in meant if name in python.objects][:1] or ending
    if not named and not _exists(target, places):
        named = [public for lives, public in _PUBLIC.items() if lives.endswith(f".{target}")]
    if len(named) == 1:
        shown = _renamed(contnode, target, named[0])
        return python.resolve_xref(env, node["refdoc"], app.builder, "obj", named[0], node, shown)
    # Sphinx cuts a type such as `int | Mapping[int, int]` at its commas.
    words = re.findall(r"[\w.]+", target)
    return contnode if words and all(_exists(word, places) for word in words) else None


def _places(node: Any) -> list[str]:
    """Dotted names of what a reference is written in, by where that lives."""
    found = []
    if owner := node.get("py:class"):
        documented = getattr(enact_assets, owner.partition(".")[0], None)
        found.append(f"{getattr(documented, '__module__', 'enact_assets')}.{owner}")
    while node is not None:
        if inside := _DOCSTRING.search(node.source or ""):
            found.append(inside[1])
            break
        node = node.parent
    return found


def _seen_from(target: str, places: list[str]) -> list[str]:
    """What ``target`` may mean in ``places``: in the class, in the module, in the folders above."""
    tries = [target]
    for place in places:
        parts = place.split(".")
        tries += [".".join((*parts[:n], target)) for n in range(len(parts), 0, -1)]
    return tries


def _renamed(contnode: Any, target: str, public: str) -> Any:
    """The text of a link, with the last part of ``target`` as ``public`` calls it."""
    ours, theirs = target.rpartition(".")[2], public.rpartition(".")[2]
    if ours == theirs:
        return contnode
    text = nodes.Text(re.sub(rf"\b{ours}\b", theirs, contnode.astext()))
    if isinstance(contnode, nodes.Text):
        return text
    shown = contnode.copy()
    shown += text
    return shown


def _exists(target: str, places: list[str]) -> bool:
    """Whether a name can be imported, alone or seen from where it is written."""
    tries = [*_seen_from(target, places), f"enact_assets.{target}", f"builtins.{target}"]
    return any(_imported(name) for name in tries) or hasattr(builtins, target)


def _imported(name: str) -> bool:
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:n]))
        except ImportError:
            continue
        for part in parts[n:]:
            annotated = inspect.get_annotations(found) if isinstance(found, type) else {}
            if part in annotated:
                return True
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False
