"""Reads and arranges questions, demonstrations and answers for people. Nothing is written.

Everything is read from the published warehouse, pictures from the image store. The commands
``show`` and ``browse`` print and serve what these functions return.
"""
