/** Tests the largest holders of a complete list, compared with sorting all holders. */
import { Address } from "@blockquarry/core/Address"
import type { TokenOwner } from "@blockquarry/core/model/TokenOwner"
import { topHolders } from "@blockquarry/http/TopHolders"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { address } from "./support/Examples.ts"

const holder = (balance: bigint | null): TokenOwner => ({
  owner_address: Schema.decodeSync(Address)(address),
  owner_address_label: null,
  balance,
  balance_formatted: null,
  usd_value: null,
  is_contract: null,
  percentage_relative_to_total_supply: null
})

const balances = FastCheck.array(
  FastCheck.option(
    FastCheck.oneof(FastCheck.bigInt({ min: 0n, max: 9n }), FastCheck.bigInt({ min: 0n, max: 2n ** 256n }))
  ),
  { maxLength: 80 }
)

/** Sorts by balance, largest first. Holders without a balance come last. */
const sorted = (all: ReadonlyArray<bigint | null>) =>
  all.toSorted((a, b) => a === b ? 0 : a === null ? 1 : b === null ? -1 : a > b ? -1 : 1)

describe("topHolders", () => {
  it.effect.prop("returns the holders with the largest balances, in order", {
    all: balances,
    count: FastCheck.nat(100),
    page: FastCheck.integer({ min: 1, max: 9 })
  }, ({ all, count, page }) =>
    Effect.gen(function*() {
      const stream = Stream.rechunk(Stream.fromIterable(all.map(holder)), page)
      const holders = yield* topHolders(stream, count)
      expect(holders.map(({ balance }) => balance)).toEqual(sorted(all).slice(0, count))
    }))

  it.effect("returns 10,000 holders by default, none if count is not positive, and fails with its list", () =>
    Effect.gen(function*() {
      const many = Stream.fromChunk(Chunk.makeBy(10_500, (place) => holder(BigInt(place * 7919 % 10_500))))
      const holders = yield* topHolders(many)
      expect(holders).toHaveLength(10_000)
      expect([holders[0]?.balance, holders.at(-1)?.balance]).toEqual([10_499n, 500n])
      expect(yield* topHolders(many, 0)).toEqual([])
      expect(yield* topHolders(many, -1)).toEqual([])
      expect(yield* Effect.flip(topHolders(Stream.concat(many, Stream.fail("a page"))))).toBe("a page")
    }))
})
