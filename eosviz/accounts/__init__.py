"""Accounts: signing up and in, roles, what an account owns, and its deletion."""
