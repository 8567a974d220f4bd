import assert from "node:assert/strict";
import test from "node:test";

import { shortSource } from "../../player/short-source.ts";

test("a long place in Kafka's source gives up its classes before its method", () => {
  assert.equal(shortSource("KafkaApis.handleWriteTxnMarkersRequest"), "KafkaApis.handleWriteTxnMarkersRequest");
  assert.equal(shortSource("TransactionsCommand.AbortTransactionCommand.buildAbortSpec"), "AbortTransactionCommand.buildAbortSpec");
  assert.equal(shortSource("TransactionManager.shouldResetProducerStateAfterResolvingSequences"), "shouldResetProducerStateAfterResolvingSequences");
  assert.equal(shortSource("Sender.completeBatch, TransactionManager.adjustSequencesDueToFailedBatch"), "Sender.completeBatch");
});
