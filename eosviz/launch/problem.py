"""The error that is shown to a person, in one line that says what is wrong and what helps."""


class Problem(Exception):
    """A problem that the person at the keyboard can solve. The message says where it is and what to do."""
