/** Handles `contractNfts`, ordered by token ID. */
import { contractNfts as operation } from "@blockquarry/core/operations/contractNfts"
import * as Effect from "effect/Effect"
import type { NftState } from "../../Ledger.ts"
import { type ApiError, badRequest } from "../ApiError.ts"
import { collectionDocument, rarityOf, readCollection, validateFormat } from "../Collections.ts"
import { nftRecord } from "../NftRecords.ts"
import { readPage, sliceByKey } from "../ReadPage.ts"
import { chainHandler } from "../SandboxContext.ts"

const defaultSize = 100

export const contractNfts = chainHandler(
  operation,
  Effect.fnUntraced(function*(input, chain, context) {
    yield* validateFormat(input)
    const isInSubrange = yield* subrangeFilter(input)
    const { all, collection, sync } = yield* readCollection(context, chain, input.address)
    const slice = sliceByKey(
      all.filter(isInSubrange),
      ({ tokenId }) => [String(tokenId)],
      ({ tokenId }, [last = "0"]) => tokenId > BigInt(last)
    )
    const page = yield* readPage(operation, input, context, slice, defaultSize)
    return collectionDocument(page, sync, (nft) =>
      collection === undefined
        ? null
        : nftRecord(chain, collection, nft, rarityOf(context, all, nft), input))
  })
)

/** Assigns NFTs to subranges by ID, so that mints do not change the subrange of other NFTs. */
const subrangeFilter = (
  { range, totalRanges }: { readonly range?: number; readonly totalRanges?: number }
): Effect.Effect<(nft: NftState) => boolean, ApiError> => {
  if (range === undefined && totalRanges === undefined) return Effect.succeed(() => true)
  if (range === undefined || totalRanges === undefined) {
    return Effect.fail(badRequest("totalRanges and range must be set together"))
  }
  if (range < 1 || range > totalRanges) {
    return Effect.fail(badRequest(`range must be between 1 and totalRanges (${totalRanges})`))
  }
  return Effect.succeed(({ tokenId }) => tokenId % BigInt(totalRanges) === BigInt(range - 1))
}
