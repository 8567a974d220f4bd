"""Questions before a decision, which the engine's next step answers.

A scenario document lists *checkpoints*: a kind of question, and facts about the step before which a reader is
asked. Everything else comes from the kind (``kinds.py``) and the run: the choices, the right answer from the next
step, and the reasons from what this step says and compares. A scenario contains no answers, so an intervention
that changes the outcome also changes the answer.
"""
