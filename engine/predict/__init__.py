"""Questions before a decision, which the engine's next step answers. A scenario document lists *checkpoints*:
a kind of question, and facts about the step before which a reader is asked. Choices, right answer and reasons
come from the kind (``kinds.py``) and the run."""
