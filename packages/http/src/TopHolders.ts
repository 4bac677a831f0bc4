/**
 * The largest holders of a token, whatever order the service lists them in.
 *
 * On every chain but eth the service lists holders in faulty order (a known issue of it), so the first page does not
 * hold the largest. A complete walk does.
 *
 * @since 0.1.0
 */
import type { TokenOwner } from "@blockquarry/core/model/TokenOwner"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { BoundedHeap } from "./internal/pagination/BoundedHeap.ts"

/**
 * The `count` largest holders of a complete walk, largest first; 10,000 where nothing is said. Holds no more than
 * that many at any time. Holders without a balance come last.
 *
 * @example
 * import { DataApi } from "@blockquarry/http/DataApi"
 * import { largestHolders } from "@blockquarry/http/LargestHolders"
 * import * as Effect from "effect/Effect"
 *
 * const top = Effect.flatMap(DataApi, (data) =>
 *   largestHolders(data.tokenOwners.items({ token_address: "0x…", chain: "polygon" }), 10))
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
