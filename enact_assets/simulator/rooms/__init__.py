"""Rooms: their shells and the furniture that belongs to each."""
