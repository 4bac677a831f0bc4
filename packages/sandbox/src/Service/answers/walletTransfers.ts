/** ERC20 transfers of a wallet. */
import { walletTransfers as operation } from "@blockquarry/core/operations/walletTransfers"
import * as Either from "effect/Either"
import { rangeOf } from "../Range.ts"
import { transferRecord } from "../Transfer.ts"
import { countIn, takeByBlock, takePage } from "../Walk.ts"
import { answering, chainOf } from "../World.ts"

export const walletTransfers = answering(operation, (input, world) => {
  const chain = chainOf(world, input.chain)
  const transfers = world.selections.select(chain, input.address, input.contract_addresses)
  const range = rangeOf(chain, input)
  const page = takePage(
    operation,
    input,
    world,
    (turn) => takeByBlock(transfers, range, input.order ?? "DESC", turn)
  )
  return Either.map(page, ({ cursor, page, records, size }) => ({
    total: String(countIn(transfers, range)),
    page: String(page),
    page_size: String(size),
    cursor: world.settings.walletCursor ? cursor : undefined,
    result: records.map((transfer) => transferRecord(world.ledger, chain, transfer))
  }))
})
