/** Access to NFT collections, which may not be indexed yet. */
import type { Address } from "@blockquarry/core/Address"
import * as Effect from "effect/Effect"
import { firstIndex } from "../internal/search.ts"
import type { ChainLedger, Collection, NftState } from "../Ledger.ts"
import { type ApiError, badRequest } from "./ApiError.ts"
import { digest } from "./Digest.ts"
import type { NftRecordOptions, Rarity } from "./NftRecords.ts"
import type { SandboxPage } from "./ReadPage.ts"
import type { SandboxContext } from "./SandboxContext.ts"
import type { IndexingState } from "./SandboxState.ts"

/** Returns a collection and its indexing state. Counts as a request for the collection. */
export const readCollection = (
  context: SandboxContext,
  chain: ChainLedger,
  address: Address
): Effect.Effect<{ readonly collection: Collection | undefined; readonly sync: IndexingState }> => {
  const collection = chain.collections.get(address)
  return collection === undefined
    ? Effect.succeed({ collection, sync: "synced" })
    : Effect.map(context.state.recordRead(chain.name, collection), (sync) => ({ collection, sync }))
}

/** Returns the part of a page that is available during indexing: at first nothing, then half, always without a cursor. */
export const partialWhileIndexing = <A>(page: SandboxPage<A>, sync: IndexingState): SandboxPage<A> =>
  sync === "synced"
    ? page
    : {
      ...page,
      cursor: null,
      records: sync === "starting" ? [] : page.records.slice(0, Math.ceil(page.records.length / 2))
    }

export const syncStatus = (sync: IndexingState): "SYNCED" | "SYNCING" =>
  sync === "synced" ? "SYNCED" : "SYNCING"

/** Rejects unknown formats of token IDs. */
export const validateFormat = ({ format }: NftRecordOptions): Effect.Effect<void, ApiError> =>
  format === undefined || format === "decimal" || format === "hex"
    ? Effect.void
    : Effect.fail(badRequest("format must be one of the following values: decimal, hex"))

/** Finds an NFT by ID in a list ordered by ID. */
export const findNft = (nfts: ReadonlyArray<NftState>, tokenId: bigint): NftState | undefined => {
  const found = nfts[indexOf(nfts, tokenId)]
  return found?.tokenId === tokenId ? found : undefined
}

const indexOf = (nfts: ReadonlyArray<NftState>, tokenId: bigint): number =>
  firstIndex(nfts.length, (index) => (nfts[index]?.tokenId ?? tokenId) >= tokenId)

/** Returns the rarity of an NFT. Only one collection has ranks: each rank once, in an order unrelated to the IDs. */
export const rarityOf = (
  context: SandboxContext,
  nfts: ReadonlyArray<NftState>,
  nft: NftState
): Rarity | undefined => {
  if (nft.collection !== context.ledger.examples.collection721) return undefined
  const step = coprime(nfts.length, Number.parseInt(digest("rarity", nft.collection).slice(0, 6), 16))
  return { rank: (indexOf(nfts, nft.tokenId) * step) % nfts.length + 1, of: nfts.length }
}

/** Returns the first number from `candidate` that is coprime to `length`. */
const coprime = (length: number, candidate: number): number =>
  gcd(candidate, length) === 1 ? candidate : coprime(length, candidate + 1)

const gcd = (a: number, b: number): number => b === 0 ? a : gcd(b, a % b)
