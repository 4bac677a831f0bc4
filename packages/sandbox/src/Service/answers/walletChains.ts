/** The chains on which a wallet is active. */
import { chainId, setA } from "@blockquarry/core/Chain"
import { walletChains as operation } from "@blockquarry/core/operations/walletChains"
import * as Effect from "effect/Effect"
import type { Activity, ChainLedger } from "../../Ledger.ts"
import type { Document } from "../Message.ts"
import { timestamp } from "../Range.ts"
import { answering, chainOf } from "../World.ts"

export const walletChains = answering(operation, (input, world) => {
  const asked = input.chains === undefined ? setA : setA.filter((name) => input.chains?.includes(name))
  return Effect.succeed({
    address: input.address,
    active_chains: asked.flatMap((name) => {
      const chain = chainOf(world, name)
      const activity = chain.activity(input.address)
      return activity === undefined ? [] : [{
        chain: name,
        chain_id: chainId(name),
        first_transaction: transactionRecord(chain, activity.first),
        last_transaction: transactionRecord(chain, activity.last)
      }]
    })
  })
})

const transactionRecord = (chain: ChainLedger, { block, transaction }: Activity["first"]): Document => ({
  block_number: String(block),
  block_timestamp: timestamp(chain, block),
  transaction_hash: transaction
})
