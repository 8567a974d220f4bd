"""The words: one catalogue of sentences in English and Simplified Chinese, and how they are filled in."""
