__version__ = "3.7.2"

from omnigibson import macros
