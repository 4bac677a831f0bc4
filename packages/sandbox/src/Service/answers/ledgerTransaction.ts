/** A transaction of the ledger by its hash. */
import { ledgerTransaction as operation } from "@blockquarry/core/operations/ledgerTransaction"
import * as Effect from "effect/Effect"
import { Refusal } from "../Refusal.ts"
import { answering } from "../World.ts"

export const ledgerTransaction = answering(operation, ({ txn_hash }, { ledger, network }) => {
  const transaction = ledger.transactions[network].get(txn_hash)
  return transaction === undefined
    ? Effect.fail(
      new Refusal({
        status: 404,
        problems: [`Transaction not found by Transaction hash(${txn_hash})`],
        code: "transaction_not_found"
      })
    )
    : Effect.succeed(transaction)
})
