"""The producer client and the consumer. Start reading in README.md."""

from engine.client.application import Call
from engine.client.configuration import ProducerConfig
from engine.client.consumer import Consumer
from engine.client.ledger import Ledger
from engine.client.producer_client import ProducerClient

__all__ = ["Call", "Consumer", "Ledger", "ProducerClient", "ProducerConfig"]
