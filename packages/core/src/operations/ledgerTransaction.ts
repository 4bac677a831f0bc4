/**
 * A transaction of the ledger by its hash.
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"
import { Forever, Never } from "../Freshness.ts"
import { Hash } from "../Hash.ts"
import { described, parameters } from "../Input.ts"
import { LedgerTransaction } from "../model/LedgerTransaction.ts"
import { read } from "../Operation.ts"

const fields = { txn_hash: described(Hash, "hash of the transaction") }

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
export const ledgerTransaction = read({
  id: "ledgerTransaction",
  api: "ledger",
  path: "/transactions/by_hash/:txn_hash",
  input: parameters(fields),
  output: LedgerTransaction,
  freshness: (_, answer) => committed.has(answer().type) ? Forever() : Never(),
  cost: 1,
  docs: { summary: "A transaction of the ledger, by its hash" }
})

/** Variants that are final; a pending or an unknown one may still change. */
const committed: ReadonlySet<string> = new Set([
  "user_transaction",
  "genesis_transaction",
  "block_metadata_transaction",
  "state_checkpoint_transaction",
  "validator_transaction",
  "block_epilogue_transaction"
])
