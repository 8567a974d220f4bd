"""Questions before a decision, which the engine's next step answers.

A scenario document lists *checkpoints*: facts about the step before which a reader is asked. Everything else
comes from the run: the choices from the tables that decide, the right answer from the next step, and the
reasons from the values that this step compared. A scenario contains no answers, so an intervention that
changes the outcome also changes the answer.
"""
