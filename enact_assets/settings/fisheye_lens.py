"""The lens of ``fisheye``: one set of numbers for the embedded renderer and for OmniGibson.

The paper names the model, ``fisheyePolynomial`` of Isaac Sim (B.5.2), and no number. So these were
measured on two of its published fisheye pictures, against its pinhole pictures of the same moments
(apertures 40 and 80): a quadratic fits them (mean correlation of the pictures 0.984), a lens
proportional to the angle does not (0.950). The rim was measured on the same pictures.

A pixel at distance r from the middle of the picture, in half picture edges, shows what is
B r + C r^2 radians off the optical axis, up to half the field of view; outside that circle it is
black. OmniGibson's player gets the numbers with its request.
"""

import math

RADIANS_PER_HALF_EDGE = 2.463
"""B."""
RADIANS_PER_HALF_EDGE_SQUARED = -0.573
"""C. The angle rises up to r = 2.1; the corner of a picture is at 1.4."""
FIELD_OF_VIEW_DEG = 197.0
HALF_FIELD_RAD = math.radians(FIELD_OF_VIEW_DEG) / 2.0
CIRCLE_SHARE = (
    math.sqrt(RADIANS_PER_HALF_EDGE**2 + 4.0 * RADIANS_PER_HALF_EDGE_SQUARED * HALF_FIELD_RAD)
    - RADIANS_PER_HALF_EDGE
) / (2.0 * RADIANS_PER_HALF_EDGE_SQUARED)
"""Diameter of the circle in picture edges, 0.877: where the angle is half the field of view."""


def lens_of(projection: str) -> dict[str, float]:
    """Numbers that decide pictures under ``projection`` and are not settings: none for a
    pinhole.
    """
    if projection != "fisheye":
        return {}
    return {
        "radians_per_half_edge": RADIANS_PER_HALF_EDGE,
        "radians_per_half_edge_squared": RADIANS_PER_HALF_EDGE_SQUARED,
        "field_of_view_deg": FIELD_OF_VIEW_DEG,
    }
