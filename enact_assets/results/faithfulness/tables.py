"""Claims of the papers, and what became of each."""

from enact_assets.engine.tables import Table, integer, text


class Faithfulness(Table):
    """One row per claim of the ENACT paper (two versions), of a review of it, or of the
    WorldPrediction paper.

    Claims are in our words. `computed` rows have a query or a function, and a test compares what it
    gives with `found`. A number of the paper's results was computed from its own printed tables, as
    shipped: no model was asked. A `contradiction` holds two places of one paper against each other.
    """

    number = integer("number of the claim; 1 to 171 are those of the first audit", key=True)
    part = text("part of docs/faithfulness.md: the file that has the claim")
    source = text("ENACT v2, ENACT v1, review or WorldPrediction")
    place = text("sections, tables, figures and algorithms of that source")
    kind = text("definition, setting, number, result, method, example or contradiction")
    claim = text("what the source says, in our words")
    here = text("where it is in this project; null: nowhere", null=True)
    method = text("computed, inspected (code or text was read) or by argument")
    query = text("SQL over the warehouse that gives `found`; null elsewhere", null=True)
    function = text(
        "dotted name within the package that gives `found`, or `registry:` and a setting of the "
        "shipped registry; null elsewhere",
        null=True,
    )
    arguments = text("arguments of the function, as JSON; null elsewhere", null=True)
    needs = text(
        "what a computation reads: package (shipped tables and settings), root (any finished data "
        "root) or demonstrations (simulates them, minutes); null elsewhere",
        null=True,
    )
    digits = integer("decimals to which numbers are compared; null: all", null=True)
    found = text("value found here, text or JSON; null where nothing was computed", null=True)
    of_paper = text(
        "value that the paper gives, or that its rule gives for the arguments, text or JSON; null "
        "if there is none",
        null=True,
    )
    verdict = text("same, differs, missing or cannot be had here")
    why = text("what differs, or why; null where nothing needs to be said", null=True)
