/** The operation `ledgerTransaction`. */
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import { Hash } from "../Hash.ts"
import type { LedgerTransactionInput } from "../Inputs.ts"
import { type InputSchema, inputSchema, withDescription } from "../InputSchema.ts"
import { committedTypes, LedgerTransaction } from "../model/LedgerTransaction.ts"
import { get } from "../Operation.ts"
import { Immutable, NoStore } from "../Ttl.ts"

const fields = { txn_hash: withDescription(Hash, "Transaction hash") }

const input: InputSchema<Schema.Struct.Type<typeof fields>, LedgerTransactionInput> = inputSchema(fields)

/** Returns a ledger transaction by its hash. */
export const ledgerTransaction = get({
  id: "ledgerTransaction",
  api: "ledger",
  path: "/transactions/by_hash/:txn_hash",
  input,
  output: LedgerTransaction,
  ttl: (_, document) => isCommitted(document()) ? Immutable() : NoStore(),
  cost: 1,
  price: 1,
  docs: { group: "Ledger", summary: "Get a ledger transaction by its hash" },
  example: ({ transaction }): LedgerTransactionInput => ({ txn_hash: transaction })
})

const isCommitted = (document: unknown): boolean =>
  Predicate.isRecord(document) && committedTypes.has(document["type"])
