"""The library of scenarios: stored versions of documents, cards, changed settings, and edits of a document's
text."""
