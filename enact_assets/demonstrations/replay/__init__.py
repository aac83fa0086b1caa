"""Demonstrations -> replay tables (facts, objects, states); one module per source."""
