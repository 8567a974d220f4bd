"""Makes questions before a decision, which the engine's next step answers.

A scenario document lists *checkpoints*. Each has a kind of question, and facts about the step before which a
reader is asked. The choices, the right answer and the reasons come from the kind (``kinds.py``) and from the
sentences and compared values of the next step. A scenario contains no answers, so an intervention that changes the
outcome also changes the answer.
"""
