"""What those who follow a presentation say back: hands at a step, and answers to a poll."""
