"""The transaction coordinator, which keeps the identity and the transaction of each transactional id, and the
group coordinator."""
