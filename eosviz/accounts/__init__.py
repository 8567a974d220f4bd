"""Accounts: signing up and in, ownership, roles, and the deletion of an account."""
