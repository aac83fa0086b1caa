"""Settings of Sphinx for the site: ``make docs`` runs it on the tree of build_site.py."""

import builtins
import importlib
import inspect
import re
from typing import Any

from pygments.lexers.special import TextLexer

from enact_assets import __version__

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

_HEADING = re.compile(r'^(#+ )<a id="([^"]+)"></a>(.*)$', re.MULTILINE)


def setup(app: Any) -> None:
    """Hooks: anchors in headings, and names in docstrings that the site does not document."""
    app.connect("source-read", _anchor_headings)
    app.connect("missing-reference", _find_name)
    app.add_lexer("csv", TextLexer)


def _anchor_headings(_app: Any, _page: str, source: list[str]) -> None:
    """``## <a id="d2"></a>2 Key frames`` (for GitHub) is a target that links may name."""
    source[0] = _HEADING.sub(r"(\2)=\n\1\3", source[0])


def _find_name(app: Any, env: Any, node: Any, contnode: Any) -> Any:
    """A link to the only documented name that ends so; plain text for other names that exist.

    A name that exists nowhere stays unresolved, and the build fails.
    """
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"].removeprefix("~").lstrip(".")
    python = env.get_domain("py")
    named = [name for name in python.objects if name == target or name.endswith(f".{target}")]
    if len(named) == 1:
        return python.resolve_xref(
            env, node["refdoc"], app.builder, "obj", named[0], node, contnode
        )
    # Sphinx cuts a type such as `int | Mapping[int, int]` at its commas.
    words = re.findall(r"[\w.]+", target)
    place = node.get("py:module"), node.get("py:class")
    return contnode if words and all(_exists(word, *place) for word in words) else None


def _exists(target: str, module: str | None, owner: str | None) -> bool:
    """Whether a name can be imported, alone or seen from where the docstring is."""
    tries = [target, f"enact_assets.{target}", f"builtins.{target}"]
    if module:
        tries.append(f"{module}.{target}")
        tries.append(f"{module}.{owner}.{target}")
        tries.append(f"{module.rpartition('.')[0]}.{target}")
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
