"""From rows to sections, and from sections to one self-contained HTML file."""

import base64
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from enact_assets import __version__
from enact_assets.engine.package_files import file_bytes
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.results.report.accuracy import answers, leaderboard, official_questions
from enact_assets.results.report.activities import by_activity
from enact_assets.results.report.answer_quality import answer_quality
from enact_assets.results.report.drawing import naming_partial
from enact_assets.results.report.error_section import mismatch, semantic, shared_errors, structural
from enact_assets.results.report.findings_section import findings
from enact_assets.results.report.hands import handedness
from enact_assets.results.report.lengths import by_length, looking, similar_sizes
from enact_assets.results.report.overview import Facts, overview
from enact_assets.results.report.parts import Figure, Section
from enact_assets.results.report.people_section import people
from enact_assets.results.report.probes import probes, setting_bars
from enact_assets.results.report.published_agreement import agreement
from enact_assets.results.report.questions import questions
from enact_assets.results.report.rows import ReportRows
from enact_assets.results.report.world_section import world_prediction
from enact_assets.results.report.wrong_answers import PictureOf, wrong_answers

TEMPLATES = Path(__file__).parent / "templates"
_BREAKS = re.compile(r"(?<=\w[_:+/])(?=\w)")
_COMMAND = re.compile("`([^`]+)`")
_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""Control characters: HTML allows none of them."""


@dataclass(frozen=True)
class Page:
    """A report: its sections, and the file they make."""

    sections: tuple[Section, ...]
    html: str

    @property
    def figures(self) -> list[Figure]:
        """All figures, in the order of the page."""
        return [part for s in self.sections for part in s.parts if isinstance(part, Figure)]


MEASURED: tuple[Callable[[ReportRows], Section | None], ...] = (
    overview,
    leaderboard,
    official_questions,
    answers,
    answer_quality,
    by_length,
    looking,
    by_activity,
    similar_sizes,
    probes,
    setting_bars,
    structural,
    semantic,
    shared_errors,
    handedness,
    mismatch,
    findings,
    agreement,
    world_prediction,
    questions,
)
"""Every section but those with pictures: people, and wrong answers."""


def measured_sections(
    rows: ReportRows,
    on_progress: OnProgress = unheard,
    wanted: Sequence[Callable[[ReportRows], Section | None]] = MEASURED,
) -> tuple[Section, ...]:
    """Those of ``wanted``; those on official questions, on what
    looking buys and on WorldPrediction are there only where such rows are.
    """
    found = []
    with naming_partial(rows.partial_note):
        for n_done, section in enumerate(wanted):
            name = section.__name__.replace("_", " ")
            on_progress(Progress(n_done, len(wanted), "sections", name))
            found.append(section(rows))
    return tuple(section for section in found if section is not None)


def make_page(rows: ReportRows, picture: PictureOf, on_progress: OnProgress = unheard) -> Page:
    """The report on ``rows``: every section, including empty ones, which say so."""
    measured = measured_sections(rows, on_progress)
    sections = (*measured, people(rows, picture), wrong_answers(rows, picture))
    return Page(sections, render(sections, title_of(rows), version=rows.version))


def title_of(rows: ReportRows) -> str:
    """Heading of the report on ``rows``."""
    return f"ENACT report, {rows.variant}"


def render(
    sections: Sequence[Section],
    title: str,
    meta: Sequence[tuple[str, str]] = (),
    version: str = "",
    facts: Facts = (),
    *,
    pages: Sequence[tuple[str, str]] = (),
    place_of: Callable[[bytes], str] = lambda jpeg: _uri("image/jpeg", jpeg),
) -> str:
    """Sections as HTML; every text is escaped. ``meta`` are names and contents of <meta> elements,
    ``version`` is that of the DuckDB file, if any; ``facts`` follow the heading. ``pages`` are
    names and addresses of others, none for this one; ``place_of`` gives the address of a picture,
    by default its content.
    """
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = _breakable
    environment.filters["commands"] = _commands
    environment.filters["svg_uri"] = lambda data: _uri("image/svg+xml", data)
    environment.filters["jpeg_place"] = place_of
    html = environment.get_template("report.html").render(
        title=title,
        style=_template("report.css"),
        sections=sections,
        facts=facts,
        pages=pages,
        meta=meta,
        version=version,
        software=__version__,
    )
    return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", html)


def _breakable(cell: str) -> str:
    """A heading as HTML that a narrow screen may break behind signs, but not within a word."""
    from markupsafe import Markup, escape

    return Markup("<wbr>").join(escape(piece) for piece in _BREAKS.split(cell))


def _commands(text: str) -> str:
    """``text`` escaped, with text between backticks as code."""
    from markupsafe import Markup, escape

    pieces = enumerate(_COMMAND.split(text))  # every second one was between backticks
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if k % 2 else escape(piece) for k, piece in pieces
    )


def _template(name: str) -> str:
    return file_bytes(TEMPLATES / name).decode()


def _uri(kind: str, data: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"
