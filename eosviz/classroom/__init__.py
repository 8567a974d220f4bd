"""Classes: their members and assignments, and the judgement of learners' attempts by the engine."""
