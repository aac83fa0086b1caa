"""Answers by people: the page, permanent storage of answers, and agreement."""
