/**
 * The largest holders of a token, independent of the order of the upstream.
 *
 * On chains other than `eth` the upstream returns holders in the wrong order (a known issue), so the largest holders may
 * be on any page.
 *
 * @since 0.1.0
 */
import type { TokenOwner } from "@blockquarry/core/model/TokenOwner"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { BoundedHeap } from "./internal/pagination/BoundedHeap.ts"

/**
 * Reads a whole list and returns its `count` largest holders, largest first. Default: 10,000. Keeps at most `count`
 * holders in memory. Holders without a balance come last.
 *
 * @example
 * import { DataApi } from "@blockquarry/http/DataApi"
 * import { topHolders } from "@blockquarry/http/TopHolders"
 * import * as Effect from "effect/Effect"
 *
 * const top = Effect.flatMap(DataApi, (data) =>
 *   topHolders(data.tokenOwners.items({ token_address: "0x…", chain: "polygon" }), 10))
 *
 * @since 0.1.0
 * @category combinators
 */
export const topHolders = <E, R>(
  holders: Stream.Stream<TokenOwner, E, R>,
  count = 10_000
): Effect.Effect<ReadonlyArray<TokenOwner>, E, R> =>
  Effect.suspend(() => {
    const heap = new BoundedHeap(hasSmallerBalance, Math.max(0, count))
    return Stream.runForEachChunk(holders, (chunk) =>
      Effect.sync(() => {
        for (const holder of chunk) heap.offer(holder)
      })).pipe(Effect.map(() => heap.drain()))
  })

const hasSmallerBalance = (a: TokenOwner, b: TokenOwner): boolean => (a.balance ?? -1n) < (b.balance ?? -1n)
