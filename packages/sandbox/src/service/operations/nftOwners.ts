/** Handles `nftOwners`, ordered by owner address. */
import { nftOwners as operation } from "@blockquarry/core/operations/nftOwners"
import * as Effect from "effect/Effect"
import {
  findNft,
  partialWhileIndexing,
  rarityOf,
  readCollection,
  syncStatus,
  validateFormat
} from "../Collections.ts"
import { encodeRecords, listEnvelope } from "../Envelope.ts"
import { ownedRecord, rarityFields } from "../NftRecords.ts"
import { readPage, sliceByKey } from "../ReadPage.ts"
import { chainOf, operationHandler } from "../SandboxContext.ts"

export const nftOwners = operationHandler(
  operation,
  Effect.fnUntraced(function*(input, context) {
    yield* validateFormat(input)
    const chain = chainOf(context, input.chain)
    const { collection, sync } = yield* readCollection(context, chain, input.address)
    const all = collection === undefined ? [] : chain.nfts(collection.address)
    const nft = findNft(all, input.token_id)
    const owners = [...nft?.owners ?? []].sort((a, b) => a.owner < b.owner ? -1 : 1)
    const page = yield* readPage(
      operation,
      input,
      context,
      (pageRequest) =>
        sliceByKey(owners, pageRequest, ({ owner }) => [owner], ({ owner }, [last = ""]) => owner > last)
    )
    const records = collection === undefined || nft === undefined
      ? encodeRecords(page, () => null)
      : encodeRecords(partialWhileIndexing(page, sync), (ownership) => ({
        ...ownedRecord(chain, collection, nft, ownership, input),
        ...rarityFields(rarityOf(context, all, nft))
      }))
    return { status: syncStatus(sync), ...listEnvelope(records) }
  })
)
