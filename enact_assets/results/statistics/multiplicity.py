"""Corrections of p-values for the number of tests. A p-value of nan is not a test."""

import numpy as np

from enact_assets.settings.arrays import Floats


def holm(p: Floats) -> Floats:
    """P-values (n,) of one family, adjusted so that a single false one is unlikely.

    The k-th smallest of m, counted from 0, is multiplied by m - k; none is below a smaller one's,
    none above 1. Source: Holm 1979. (SciPy has the false discovery rate only.)
    """
    adjusted = np.full(p.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    factors = np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * p[order]), 1.0)
    return adjusted


def benjamini_hochberg(p: Floats) -> Floats:
    """P-values (n,) of one family, adjusted for the share of false ones among those called real.

    Source: Benjamini and Hochberg 1995, by SciPy.
    """
    from scipy.stats import false_discovery_control

    adjusted = np.full(p.shape, np.nan)
    tested = ~np.isnan(p)
    if tested.any():
        adjusted[tested] = false_discovery_control(p[tested], method="bh")
    return adjusted
