"""The one kind of error that a person sees: what is wrong and the remedy, in one line."""


class Problem(Exception):
    """Something that the person at the keyboard can remedy. The message names the place and the remedy."""
