"""The steps of the pipeline, one module per stage, in data-flow order.

A step is a pure function; its annotations declare its inputs and outputs (``engine/steps.py``). To
add a table, write its class, in a ``*_tables`` module of the stage, and a step here.
"""
