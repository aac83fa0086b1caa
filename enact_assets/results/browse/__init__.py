"""Questions, demonstrations and answers as people look at them: read, arranged, never written.

Everything is read from the published warehouse, pictures from the image store. The commands
``show`` and ``browse`` print and serve what these functions return.
"""
