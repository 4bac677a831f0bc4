/**
 * A transaction of the ledger by its hash.
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"
import { Hash } from "../Hash.ts"
import { inputSchema, withDescription } from "../InputSchema.ts"
import { LedgerTransaction } from "../model/LedgerTransaction.ts"
import { get } from "../Operation.ts"
import { Immutable, NoStore } from "../Ttl.ts"

const fields = { txn_hash: withDescription(Hash, "hash of the transaction") }

/**
 * @since 0.1.0
 * @category models
 */
export interface LedgerTransactionInput extends Schema.Struct.Encoded<typeof fields> {}

/**
 * A transaction of the ledger by its hash.
 *
 * @since 0.1.0
 * @category operations
 */
export const ledgerTransaction = get({
  id: "ledgerTransaction",
  api: "ledger",
  path: "/transactions/by_hash/:txn_hash",
  input: inputSchema(fields),
  output: LedgerTransaction,
  ttl: (_, getOutput) => committedTypes.has(getOutput().type) ? Immutable() : NoStore(),
  cost: 1,
  docs: { summary: "A transaction of the ledger, by its hash" }
})

/** Variants that are final; a pending or an unknown one may still change. */
const committedTypes: ReadonlySet<string> = new Set([
  "user_transaction",
  "genesis_transaction",
  "block_metadata_transaction",
  "state_checkpoint_transaction",
  "validator_transaction",
  "block_epilogue_transaction"
])
