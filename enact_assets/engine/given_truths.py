"""Reads true and false as people and spreadsheets write them: Excel uses its interface language."""

WANTED = "true or false (yes/no, 1/0 and the words of Excel in other languages are read, too)"
_TRUE = (
    "true",
    "t",
    "yes",
    "y",
    "1",
    "1.0",
    "wahr",
    "ja",
    "vrai",
    "oui",
    "verdadero",
    "sí",
    "vero",
)
_FALSE = ("false", "f", "no", "n", "0", "0.0", "falsch", "nein", "faux", "non", "falso")
_MEANING = dict.fromkeys(_TRUE, True) | dict.fromkeys(_FALSE, False)


def truth_of(text: str) -> bool | None:
    """Truth value of ``text``, in upper or lower case; None if it is neither."""
    return _MEANING.get(text.strip().lower())
