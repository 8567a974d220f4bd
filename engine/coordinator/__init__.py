"""The transaction coordinator: who holds a transactional id, and what became of its transaction."""
