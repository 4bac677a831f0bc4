/**
 * The largest holders of a token, independent of the order of the upstream.
 *
 * On chains other than `eth` the upstream returns holders in the wrong order (a known issue), so the largest holders may
 * be on any page.
 */
import type { TokenOwner } from "@blockquarry/core/model/TokenOwner"
import type * as Chunk from "effect/Chunk"
import type * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/**
 * Reads a whole list and returns its `count` largest holders, largest first. Default: 10,000. Keeps at most `count`
 * holders and a page in memory. Holders without a balance come last.
 *
 * @example
 * import { DataApi } from "@blockquarry/http/DataApi"
 * import { topHolders } from "@blockquarry/http/TopHolders"
 * import * as Effect from "effect/Effect"
 *
 * const top = Effect.flatMap(DataApi, (data) =>
 *   topHolders(data.tokenOwners.items({ token_address: "0x…", chain: "polygon" }), 10))
 */
export const topHolders = <E, R>(
  holders: Stream.Stream<TokenOwner, E, R>,
  count = 10_000
): Effect.Effect<ReadonlyArray<TokenOwner>, E, R> =>
  // The sort is fast: the holders of earlier pages are in order.
  holders.pipe(
    Stream.chunks,
    Stream.runFold<ReadonlyArray<TokenOwner>, Chunk.Chunk<TokenOwner>>(
      [],
      (largest, page) => [...largest, ...page].sort(bySize).slice(0, Math.max(0, count))
    )
  )

/** The largest balance first. */
const bySize = (a: TokenOwner, b: TokenOwner): number => {
  const [one, other] = [a.balance ?? -1n, b.balance ?? -1n]
  return one === other ? 0 : one > other ? -1 : 1
}
