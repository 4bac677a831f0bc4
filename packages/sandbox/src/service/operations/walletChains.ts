/** Handles `walletChains`. */
import { chainId, evmChains } from "@blockquarry/core/Chain"
import { walletChains as operation } from "@blockquarry/core/operations/walletChains"
import * as Effect from "effect/Effect"
import type { ChainLedger, WalletActivity } from "../../Ledger.ts"
import { blockTimestamp } from "../BlockRange.ts"
import type { JsonDocument } from "../HttpMessage.ts"
import { chainOf, operationHandler } from "../SandboxContext.ts"

export const walletChains = operationHandler(operation, (input, context) =>
  Effect.map(
    Effect.forEach(input.chains ?? evmChains, (chain) => chainOf(context, "chains", chain, evmChains)),
    (requested) => ({
      address: input.address,
      active_chains: evmChains.flatMap((name) => {
        const chain = requested.find((chain) => chain.name === name)
        const activity = chain?.activity(input.address)
        return chain === undefined || activity === undefined ? [] : [{
          chain: name,
          chain_id: chainId(name),
          first_transaction: transactionRecord(chain, activity.first),
          last_transaction: transactionRecord(chain, activity.last)
        }]
      })
    })
  ))

const transactionRecord = (
  chain: ChainLedger,
  { block, transaction }: WalletActivity["first"]
): JsonDocument => ({
  block_number: String(block),
  block_timestamp: blockTimestamp(chain, block),
  transaction_hash: transaction
})
