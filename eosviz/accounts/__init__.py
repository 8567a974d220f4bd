"""Accounts: signing up and in, ownership, roles, and deletion with everything one made."""
