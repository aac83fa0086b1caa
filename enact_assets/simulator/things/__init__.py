"""Movable things: what their builders return, and a catalogue of kinds."""
