"""As much of OmniGibson's API as our player uses, over a world that is a list of facts.

These modules are version 1.1.1. ``overlays`` has what is otherwise in later versions, by which
``omnigibson_fakes.py`` makes a package for each, with the recorded signatures.

What it does is told by the demonstration: its scene file lists objects and every fact that may
hold, and a row of ``state`` says which of them hold now. Habits of the real one that our player has
to live with are kept: some states fail for some pairs; a row leaves sleeping objects out, and
loading it leaves them as they were; touching holds both ways; rows are longer under GPU dynamics;
wrappers set attributes on what they wrap, switches cannot be set once read, and playback from 3.7
on returns without a word where the file lacks something.

FAKE_OMNIGIBSON_LOG names a file that hears what cameras saw, one JSON line each;
FAKE_OMNIGIBSON_CRASH is ``frame:times:file``: the process kills itself at that frame, that often;
FAKE_OMNIGIBSON_WAIT is ``frame:file``: it waits there until the file exists.
"""

import tempfile

__version__ = "1.1.1"
app = None
sim = None
tempdir = tempfile.mkdtemp()
