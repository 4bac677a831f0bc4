/** NFTs of a contract, in order of their ids. */
import { contractNfts as operation } from "@blockquarry/core/operations/contractNfts"
import * as Effect from "effect/Effect"
import type { NftState } from "../../Ledger.ts"
import { checkFormat, rarityOf, readCollection, soFar, statusOf } from "../Collections.ts"
import { envelope, written } from "../Envelope.ts"
import { nftRecord } from "../Nft.ts"
import { badRequest, type Refusal } from "../Refusal.ts"
import { takeByKey, takePage } from "../Walk.ts"
import { answering, chainOf } from "../World.ts"

const defaultSize = 100

export const contractNfts = answering(
  operation,
  Effect.fnUntraced(function*(input, world) {
    yield* checkFormat(input)
    const isIn = yield* subrange(input)
    const chain = chainOf(world, input.chain)
    const { collection, sync } = yield* readCollection(world, chain, input.address)
    const all = collection === undefined ? [] : chain.nfts(collection.address)
    const page = yield* takePage(
      operation,
      input,
      world,
      (turn) =>
        takeByKey(
          all.filter(isIn),
          turn,
          ({ tokenId }) => [String(tokenId)],
          ({ tokenId }, [last = "0"]) => tokenId > BigInt(last)
        ),
      defaultSize
    )
    const records = collection === undefined
      ? written(page, () => null)
      : written(
        soFar(page, sync),
        (nft) => nftRecord(chain, collection, nft, rarityOf(world, all, nft), input)
      )
    return { status: statusOf(sync), ...envelope(records) }
  })
)

/**
 * The NFTs of one subrange of a contract's. They are dealt out by their ids, so that no NFT changes its
 * subrange when others are minted.
 */
const subrange = (
  { range, totalRanges }: { readonly range?: number; readonly totalRanges?: number }
): Effect.Effect<(nft: NftState) => boolean, Refusal> => {
  if (range === undefined && totalRanges === undefined) return Effect.succeed(() => true)
  if (range === undefined || totalRanges === undefined) {
    return Effect.fail(badRequest("totalRanges and range must be given together"))
  }
  if (range < 1 || range > totalRanges) {
    return Effect.fail(badRequest(`range must be from 1 to totalRanges (${totalRanges})`))
  }
  return Effect.succeed(({ tokenId }) => tokenId % BigInt(totalRanges) === BigInt(range - 1))
}
