/** Owners of one NFT, in order of their addresses. */
import { nftOwners as operation } from "@blockquarry/core/operations/nftOwners"
import * as Effect from "effect/Effect"
import { checkFormat, findNft, rarityOf, readCollection, soFar, statusOf } from "../Collections.ts"
import { envelope, written } from "../Envelope.ts"
import { ownedRecord, rarityMembers } from "../Nft.ts"
import { takeByKey, takePage } from "../Walk.ts"
import { answering, chainOf } from "../World.ts"

export const nftOwners = answering(
  operation,
  Effect.fnUntraced(function*(input, world) {
    yield* checkFormat(input)
    const chain = chainOf(world, input.chain)
    const { collection, sync } = yield* readCollection(world, chain, input.address)
    const all = collection === undefined ? [] : chain.nfts(collection.address)
    const nft = findNft(all, input.token_id)
    const owners = [...nft?.owners ?? []].sort((a, b) => a.owner < b.owner ? -1 : 1)
    const page = yield* takePage(
      operation,
      input,
      world,
      (turn) => takeByKey(owners, turn, ({ owner }) => [owner], ({ owner }, [last = ""]) => owner > last)
    )
    const records = collection === undefined || nft === undefined
      ? written(page, () => null)
      : written(soFar(page, sync), (holding) => ({
        ...ownedRecord(chain, collection, nft, holding, input),
        ...rarityMembers(rarityOf(world, all, nft))
      }))
    return { status: statusOf(sync), ...envelope(records) }
  })
)
