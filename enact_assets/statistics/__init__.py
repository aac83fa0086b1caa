"""How sure a number is: intervals, tests, corrections for many tests, detectable effects."""
