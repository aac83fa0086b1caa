"""Numbers before nouns."""


def counted(n: int, noun: str) -> str:
    """``1 partition``, ``2 partitions``, ``0 answers``, ``2 queries``; the last word is counted."""
    if n == 1:
        return f"{n:,} {noun}"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{n:,} {noun[:-1]}ies"
    return f"{n:,} {noun}s"


def all_fresh(n: int) -> str:
    """What a plan or a walk says that has nothing to make."""
    return "the 1 partition is fresh" if n == 1 else f"all {counted(n, 'partition')} are fresh"
