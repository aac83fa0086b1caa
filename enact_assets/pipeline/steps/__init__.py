"""The steps of the pipeline, one module per stage, in data-flow order.

A step is a pure function; its annotations say what it reads and makes (``engine/steps.py``). Adding
a table takes its class, in a ``*_tables`` module beside the stage, and a step here.
"""

# Settings are registered before the first step asks for them, whichever module is imported first.
from enact_assets.pipeline.steps import inputs as inputs
