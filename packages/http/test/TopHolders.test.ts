/** The largest holders of a complete walk, against sorting all of them. */
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
import { failureOf } from "./support/Failures.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as TestClients from "./support/TestClients.ts"

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

/** By sorting: largest first, those without a balance last. */
const sorted = (all: ReadonlyArray<bigint | null>) =>
  all.toSorted((a, b) => a === b ? 0 : a === null ? 1 : b === null ? -1 : a > b ? -1 : 1)

describe("largestHolders", () => {
  it.effect.prop("are the first of all in order of balance", {
    all: balances,
    count: FastCheck.nat(100),
    page: FastCheck.integer({ min: 1, max: 9 })
  }, ({ all, count, page }) =>
    Effect.gen(function*() {
      const holders = Stream.rechunk(Stream.fromIterable(all.map(holder)), page)
      const found = yield* topHolders(holders, count)
      expect(found.map(({ balance }) => balance)).toEqual(sorted(all).slice(0, count))
    }), { fastCheck: { numRuns: 150 } })

  it.effect("are ten thousand where nothing is said, and none where none or fewer are wanted", () =>
    Effect.gen(function*() {
      const many = Stream.fromChunk(Chunk.makeBy(10_500, (place) => holder(BigInt(place * 7919 % 10_500))))
      const found = yield* topHolders(many)
      expect(found).toHaveLength(10_000)
      expect([found[0]?.balance, found.at(-1)?.balance]).toEqual([10_499n, 500n])
      expect(yield* topHolders(many, 0)).toEqual([])
      expect(yield* topHolders(many, -1)).toEqual([])
    }))

  it.effect("are the same when the same value is run again", () =>
    Effect.gen(function*() {
      const call = topHolders(Stream.fromIterable([1n, 3n, 2n].map(holder)), 2)
      const balancesOf = Effect.map(call, (found) => found.map(({ balance }) => balance))
      expect(yield* balancesOf).toEqual([3n, 2n])
      expect(yield* balancesOf).toEqual([3n, 2n])
    }))

  it.effect("come from every page of a walk, and fail with it", () =>
    Effect.gen(function*() {
      const page = (cursor: string | null, ...balances: ReadonlyArray<string>) =>
        ScriptedClient.json({
          cursor,
          result: balances.map((balance) => ({ owner_address: address, balance }))
        })
      const harness = yield* TestClients.harness([page("a", "1", "5"), page("b", "9"), page(null, "7", "8")])
      const items = harness.data.tokenOwners.items({ token_address: address, chain: "polygon" })
      expect((yield* topHolders(items, 3)).map(({ balance }) => balance)).toEqual([9n, 8n, 7n])
      const broken = yield* TestClients.harness([page("a", "1"), ScriptedClient.respond(400)])
      const pagination = broken.data.tokenOwners.items({ token_address: address })
      expect((yield* failureOf(topHolders(pagination)))._tag).toBe("RequestRejectedError")
    }))
})
