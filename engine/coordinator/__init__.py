"""The transaction coordinator: who holds a transactional id, and what became of its transaction."""

from engine.coordinator.transaction_coordinator import TransactionCoordinator
from engine.coordinator.transaction_metadata import TransactionMetadata
from engine.coordinator.transaction_states import TRANSACTION_STATES

__all__ = ["TRANSACTION_STATES", "TransactionCoordinator", "TransactionMetadata"]
