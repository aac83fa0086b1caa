"""The operating system: whole files, object stores, processes, compiled kernels."""
