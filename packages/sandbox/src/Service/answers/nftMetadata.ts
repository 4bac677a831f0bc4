/** Metadata of one NFT. */
import { nftMetadata as operation } from "@blockquarry/core/operations/nftMetadata"
import * as Effect from "effect/Effect"
import { findNft, rarityOf, readCollection } from "../Collections.ts"
import { nftRecord } from "../Nft.ts"
import { notFound } from "../Refusal.ts"
import { answering, chainOf } from "../World.ts"

export const nftMetadata = answering(
  operation,
  Effect.fnUntraced(function*(input, world) {
    const chain = chainOf(world, input.chain)
    const { collection, sync } = yield* readCollection(world, chain, input.address)
    if (collection === undefined) return yield* notFound("No NFT contract was found at this address")
    // A collection that is being indexed has been seen to answer both ways: not found, then nothing
    if (sync === "starting") return yield* notFound("The metadata of this NFT is not indexed yet")
    const all = sync === "synced" ? chain.nfts(collection.address) : []
    const nft = findNft(all, input.token_id)
    return nft === undefined ? null : nftRecord(chain, collection, nft, rarityOf(world, all, nft), input)
  })
)
