"""The transaction coordinator: identity and transaction of each transactional id."""
