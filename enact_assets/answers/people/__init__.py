"""Questions answered by people: a page to answer them on, answers kept for good, agreement."""
