"""The library of scenarios: stored versions, cards, settings of a variant, edits of a document."""
