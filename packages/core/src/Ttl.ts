/**
 * How long an answer stays true.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"

/**
 * - `Immutable`: it never changes.
 * - `MaxAge`: it is true for a while.
 * - `UpToBlock`: it speaks of blocks up to `block`. Once that block is deep below the chain's head it is true for
 *   `finalizedTtl`, before that for `recentTtl`.
 * - `NoStore`: it must not be kept.
 *
 * @since 0.1.0
 * @category models
 */
export type Ttl = Data.TaggedEnum<{
  Immutable: {}
  MaxAge: { readonly duration: Duration.DurationInput }
  UpToBlock: {
    readonly block: number
    readonly finalizedTtl: Duration.DurationInput
    readonly recentTtl: Duration.DurationInput
  }
  NoStore: {}
}>

/**
 * @since 0.1.0
 * @category constructors
 */
export const { MaxAge, Immutable, NoStore, UpToBlock } = Data.taggedEnum<Ttl>()

/**
 * A list or a price: an hour once its upper block is settled, seconds at the head.
 *
 * @since 0.1.0
 * @category policies
 */
export const ttlByToBlock = (input: { readonly to_block?: number | undefined }): Ttl =>
  input.to_block === undefined
    ? MaxAge({ duration: "5 seconds" })
    : UpToBlock({ block: input.to_block, finalizedTtl: "1 hour", recentTtl: "5 seconds" })

/**
 * A list of NFTs: seconds, and not at all while it is empty or the collection is being indexed.
 *
 * @since 0.1.0
 * @category policies
 */
export const noStoreWhileSyncing = (
  page: { readonly status: string | null; readonly result: ReadonlyArray<unknown> }
): Ttl =>
  page.status === "SYNCING" || page.result.length === 0 ? NoStore() : MaxAge({ duration: "5 seconds" })
