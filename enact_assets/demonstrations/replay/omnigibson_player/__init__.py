"""Code that runs in OmniGibson's interpreter: it imports none of our modules, Dagster or polars.

Run by path, ``python <this folder> REQUEST.json``, so that nothing of our own installation gets on
the path of the other interpreter. It needs what OmniGibson brings (h5py, numpy, Pillow) and
``dagster-pipes``, and runs on Python 3.10 and 3.11, as versions of Isaac Sim do.
"""
