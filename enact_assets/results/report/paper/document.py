"""The LaTeX documents: two pages of tables and figures, and an appendix with the others."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from enact_assets.results.report.paper.choice import Choice
from enact_assets.results.report.paper_figures import latex_text
from enact_assets.results.report.parts import Example, words

MAIN_TABLES = (
    *("leaderboard", "length_pairwise", "probes", "hands", "errors_structural", "tests"),
)
_MAIN_FIGURES = (
    ("length_pairwise_accuracy_forward",),
    ("length_pairwise_accuracy_inverse",),
    ("probes_camera_fov", "probes_realism", "probes_camera_height", "probes_robot_appearance"),
    ("errors_structural_forward", "handedness_forward", "leaderboard_forward"),
)
"""Figures of the first pages; of each tuple the first that there is."""
_PREAMBLE = r"""\documentclass[twocolumn,10pt]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{mathptmx}
\usepackage[letterpaper,margin=0.7in,columnsep=0.25in]{geometry}
\usepackage{booktabs,graphicx}
\usepackage[font=scriptsize,labelfont=bf,skip=3pt]{caption}
\setlength{\textfloatsep}{6pt plus 2pt}\setlength{\floatsep}{6pt plus 2pt}
\setlength{\intextsep}{5pt plus 2pt}\raggedbottom
\setcounter{topnumber}{9}\setcounter{bottomnumber}{9}\setcounter{totalnumber}{18}
\setcounter{dbltopnumber}{9}\extrafloats{200}
\renewcommand{\topfraction}{1}\renewcommand{\bottomfraction}{1}
\renewcommand{\dbltopfraction}{1}\renewcommand{\textfraction}{0}
\renewcommand{\floatpagefraction}{0.7}\renewcommand{\dblfloatpagefraction}{0.7}
\makeatletter\setlength{\@fptop}{0pt}\setlength{\@dblfptop}{0pt}
\setlength{\@fpsep}{10pt}\setlength{\@dblfpsep}{10pt}\makeatother
\input{captions}
\pagestyle{plain}
"""


def main_figures(names: Collection[str]) -> list[str]:
    """Names of the figures of the first pages, of those that there are."""
    chosen = (next((name for name in of if name in names), None) for of in _MAIN_FIGURES)
    return [name for name in chosen if name is not None]


def main_document(choice: Choice, variant: str, tables: Sequence[str], figures: list[str]) -> str:
    """``main.tex``: the most important tables and figures in two columns."""
    listed = ", ".join((*choice.models, *(f"{name} (published)" for name in choice.published)))
    said = f"Models: {listed}. Variant: {words(variant)}."
    shown = main_figures(figures)
    # A figure after every table or two, so that columns are filled evenly.
    body: list[str] = []
    for at, name in enumerate(tables):
        body.append(f"\\input{{tables/{name}}}")
        if at < len(shown):
            body.append(_figure(shown[at]))
    body += [_figure(name) for name in shown[len(tables) :]]
    return _document([f"\\twocolumn[{{\\small {latex_text(said)}\\par\\medskip}}]", *body])


def appendix_document(
    tables: Iterable[str], figures: Iterable[str], examples: Mapping[str, str]
) -> str:
    """``appendix.tex``: all other tables and figures, and examples of wrong answers."""
    body = [
        *(f"\\renewcommand{{\\the{of}}}{{A\\arabic{{{of}}}}}" for of in ("table", "figure")),
        r"\section*{Further tables}",
    ]
    body += [f"\\input{{tables/{name}}}" for name in tables]
    body += [r"\clearpage", r"\section*{Further figures}"]
    body += map(_figure, figures)
    for model, file in examples.items():
        body += [r"\clearpage\onecolumn", f"\\section*{{Wrong answers of {latex_text(model)}}}"]
        body.append(f"\\input{{examples/{file}}}")
    return _document(body)


def _document(body: Iterable[str]) -> str:
    lines = (_PREAMBLE.rstrip(), r"\begin{document}", *body, r"\end{document}")
    return "\n".join(lines) + "\n"


def _figure(name: str) -> str:
    return (
        "\\begin{figure}[!htbp]\\centering\n"
        f"\\includegraphics[width=\\linewidth]{{figures/{name}}}\n"
        f"\\caption{{\\enactcaption{{{name}}}}}\\label{{fig:{name}}}\n\\end{{figure}}"
    )


def captions_latex(captions: Mapping[str, str]) -> str:
    r"""``captions.tex``: ``\enactcaption{NAME}`` is the caption of a figure."""
    lines = [r"\newcommand{\enactcaption}[1]{\csname enact@#1\endcsname}"]
    lines += [
        f"\\expandafter\\def\\csname enact@{name}\\endcsname{{{latex_text(text)}}}"
        for name, text in captions.items()
    ]
    return "\n".join(lines) + "\n"


def examples_latex(examples: Iterable[tuple[Example, str | None]]) -> str:
    """Examples with the names of their pictures: what was asked, answered and confused."""
    text = []
    for example, picture in examples:
        text += [r"\par\medskip\noindent\begin{minipage}{\linewidth}\footnotesize\raggedright"]
        text.append(f"\\textbf{{{latex_text(example.title)}}}\\par")
        if picture is None:
            text.append(latex_text(example.note) + r"\par")
        else:
            text.append(
                "\\includegraphics[width=\\linewidth,height=1.4in,keepaspectratio]"
                f"{{examples/{picture}}}\\par"
            )
        actions = (f"[Action {n}] {action}" for n, action in enumerate(example.actions, 1))
        text += [latex_text(action) + r"\par" for action in actions]
        for heading, entries in example.facts:
            said = latex_text("; ".join(map(str, entries)))
            text.append(f"\\emph{{{latex_text(heading)}:}} {said}\\par")
        text.append(r"\end{minipage}")
    return "\n".join(text) + "\n"
