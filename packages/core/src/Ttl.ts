/** How long a response may be cached. */
import * as Arr from "effect/Array"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"

/**
 * The time to live of a cached response:
 *
 * - `Immutable`: the response never changes.
 * - `MaxAge`: the response is fresh for `duration`.
 * - `UpToBlock`: the response covers blocks up to `block`. It is fresh for `finalizedTtl` once that block is final, and
 *   for `recentTtl` before.
 * - `NoStore`: the response must not be cached.
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

type TtlOf<Tag extends Ttl["_tag"]> = Extract<Ttl, { readonly _tag: Tag }>

export const Immutable = /* @__PURE__ */ Data.tagged<TtlOf<"Immutable">>("Immutable")

export const MaxAge = /* @__PURE__ */ Data.tagged<TtlOf<"MaxAge">>("MaxAge")

export const UpToBlock = /* @__PURE__ */ Data.tagged<TtlOf<"UpToBlock">>("UpToBlock")

export const NoStore = /* @__PURE__ */ Data.tagged<TtlOf<"NoStore">>("NoStore")

/** Returns the TTL of a list or a price: 1 hour if `to_block` is set and final, otherwise 5 seconds. */
export const ttlByToBlock = (input: { readonly to_block?: number | undefined }): Ttl =>
  input.to_block === undefined
    ? MaxAge({ duration: "5 seconds" })
    : UpToBlock({ block: input.to_block, finalizedTtl: "1 hour", recentTtl: "5 seconds" })

/**
 * Returns the TTL of a page of NFTs: 5 seconds, or `NoStore` if the page is empty or the collection is still being
 * indexed.
 */
export const noStoreWhileSyncing = (_input: unknown, document: () => unknown): Ttl => {
  const page = document()
  return !Predicate.isRecord(page) || page["status"] === "SYNCING" || !Arr.isArray(page["result"]) ||
      page["result"].length === 0
    ? NoStore()
    : MaxAge({ duration: "5 seconds" })
}
