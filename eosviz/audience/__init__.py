"""The audience of a presentation: hands raised at a step, and answers to a poll."""
