/** Handles `ledgerTransaction`. */
import { ledgerTransaction as operation } from "@blockquarry/core/operations/ledgerTransaction"
import * as Effect from "effect/Effect"
import { ApiError } from "../ApiError.ts"
import { operationHandler } from "../SandboxContext.ts"

export const ledgerTransaction = operationHandler(operation, ({ txn_hash }, { ledger, network }) => {
  const transaction = ledger.transactions[network].get(txn_hash)
  return transaction === undefined
    ? Effect.fail(
      new ApiError({
        status: 404,
        messages: [`Transaction not found by Transaction hash(${txn_hash})`],
        code: "transaction_not_found"
      })
    )
    : Effect.succeed(transaction)
})
