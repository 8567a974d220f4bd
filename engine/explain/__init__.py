"""The sentences of steps: one catalogue in English and Simplified Chinese, and how parameters are filled in."""
