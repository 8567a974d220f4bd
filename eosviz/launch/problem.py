"""The kind of error that is shown to a person. It says in one line what is wrong, and what helps."""


class Problem(Exception):
    """Something that the person at the keyboard can remedy. The message names the place and the remedy."""
