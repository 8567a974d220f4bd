"""Questions before a decision, whose answer is what the engine then does.

A scenario document lists *checkpoints*: facts of the step before which a reader is asked. The run itself is asked
for the rest: what can happen there comes from the tables that decide it, the right answer from the step that
follows, and the reasons from what that step compared. Nothing is written down per scenario, so an intervention
that changes the outcome changes the answer.
"""
