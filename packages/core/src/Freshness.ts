/**
 * How long an answer stays true.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"

/**
 * - `Forever`: it never changes.
 * - `For`: it is true for a while.
 * - `UpTo`: it speaks of blocks up to `block`. Once that block is deep below the chain's head it is true for
 *   `settled`, before that for `young`.
 * - `Never`: it must not be kept.
 *
 * @since 0.1.0
 * @category models
 */
export type Freshness = Data.TaggedEnum<{
  Forever: {}
  For: { readonly duration: Duration.DurationInput }
  UpTo: {
    readonly block: number
    readonly settled: Duration.DurationInput
    readonly young: Duration.DurationInput
  }
  Never: {}
}>

/**
 * @since 0.1.0
 * @category constructors
 */
export const { For, Forever, Never, UpTo } = Data.taggedEnum<Freshness>()

/**
 * A list or a price: an hour once its upper block is settled, seconds at the head.
 *
 * @since 0.1.0
 * @category policies
 */
export const byUpperBlock = (input: { readonly to_block?: number | undefined }): Freshness =>
  input.to_block === undefined
    ? For({ duration: "5 seconds" })
    : UpTo({ block: input.to_block, settled: "1 hour", young: "5 seconds" })

/**
 * A list of NFTs: seconds, and not at all while it is empty or the collection is being indexed.
 *
 * @since 0.1.0
 * @category policies
 */
export const unlessSyncing = (
  page: { readonly status: string | null; readonly result: ReadonlyArray<unknown> }
): Freshness =>
  page.status === "SYNCING" || page.result.length === 0 ? Never() : For({ duration: "5 seconds" })
