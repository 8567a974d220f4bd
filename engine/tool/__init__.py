"""``kafka-transactions.sh``: the tool with which an operator looks for hanging transactions and ends them (KIP-664)."""
