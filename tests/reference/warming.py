"""Temperature of a thing by the rule's own differential equation, solved on paper.

Source: T' = a (source - T) + d (ambient - T) with the rates and temperatures of OmniGibson 1.1.1.
"""

import math

AMBIENT_C, SOURCE_C, RATE, DECAY = 23.0, 200.0, 0.04, 0.02


def temperature(start_c: float, seconds: float, n_sources: int) -> float:
    """Temperature after ``seconds`` within reach of so many sources."""
    rate = n_sources * RATE + DECAY
    rest = (n_sources * RATE * SOURCE_C + DECAY * AMBIENT_C) / rate
    return rest + (start_c - rest) * math.exp(-rate * seconds)
