"""The options of every command, as ``--help`` prints them."""

import os
from unittest.mock import patch

from enact_assets.commands.table import command_parsers

COLUMNS = "84"
HEAD = """\
# Options of every command

`enact-assets COMMAND --help` prints these texts. [Commands](/docs/commands.md) explains what the
commands do.

"""


def command_page() -> dict[str, str]:
    """Path -> Markdown, one section per command in the order of ``enact-assets --help``."""
    # argparse wraps at the width of the terminal, and may quote the default data root.
    with patch.dict(os.environ, {"COLUMNS": COLUMNS, "NO_COLOR": "1"}):
        os.environ.pop("ENACT_HOME", None)
        texts = {name: parser.format_help() for name, parser in command_parsers().items()}
    sections = [f"## {name}\n\n```text\n{text.rstrip()}\n```\n" for name, text in texts.items()]
    return {"pages/options.md": HEAD + "\n".join(sections)}
