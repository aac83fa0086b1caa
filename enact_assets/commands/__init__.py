"""Commands of the command line, one module per kind; ``cli.py`` puts them together."""
