"""The steps of the pipeline, one module per stage, in the order in which data flow.

A step is a pure function; its annotations say what it reads and makes (``engine/steps.py``). Adding
a table takes its class, in a ``*_tables`` module beside the stage, and a step here.
"""
