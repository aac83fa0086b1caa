"""The report: one HTML file, and its figures, about what the published warehouse holds.

From rows to figures and tables, from these to a page. The same rows give the same bytes.
"""
