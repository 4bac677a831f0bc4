/** ERC20 transfers of a token contract. */
import { tokenTransfers as operation } from "@blockquarry/core/operations/tokenTransfers"
import * as Either from "effect/Either"
import { envelope, written } from "../Envelope.ts"
import { rangeOf } from "../Range.ts"
import { transferRecord } from "../Transfer.ts"
import { takeByBlock, takePage } from "../Walk.ts"
import { answering, chainOf } from "../World.ts"

export const tokenTransfers = answering(operation, (input, world) => {
  const chain = chainOf(world, input.chain)
  const transfers = chain.tokenTransfers(input.address)
  const page = takePage(
    operation,
    input,
    world,
    (turn) => takeByBlock(transfers, rangeOf(chain, input), input.order ?? "DESC", turn)
  )
  return Either.map(
    page,
    (page) => envelope(written(page, (transfer) => transferRecord(world.ledger, chain, transfer)))
  )
})
