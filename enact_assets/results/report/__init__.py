"""The report: one HTML file, and its figures, about the published warehouse.

From rows to figures and tables, from these to a page. The same rows give the same bytes.
"""
