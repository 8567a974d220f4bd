"""People: signing up and in, what belongs to whom, roles, and leaving with everything one made."""
