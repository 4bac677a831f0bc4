/** Whole lists of the sandbox's ledger, walked as a program walks them: every record once, in order. */
import * as DataApi from "@blockquarry/http/DataApi"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

const records = 100_000

const over = (options: Sandbox.SandboxOptions) =>
  DataApi.layer({ apiKey: Redacted.make(Sandbox.apiKey), baseUrl: Sandbox.baseUrls.data }).pipe(
    Layer.provideMerge(Sandbox.layer(options))
  )

/** Walks the busy wallet's transfers on eth and holds them against the ledger as it was before the first page. */
const walkBusyWallet = (order: "ASC" | "DESC") =>
  Effect.gen(function*() {
    const data = yield* DataApi.DataApi
    const { ledger } = yield* Sandbox.Sandbox
    const { busyWallet } = ledger.examples
    const transfers = ledger.chains.get("eth")?.walletTransfers(busyWallet)
    const expected = Array.from({ length: transfers?.length ?? 0 }, (_, index) => {
      const transfer = transfers?.at(order === "ASC" ? index : transfers.length - 1 - index)
      return `${transfer?.transaction}:${transfer?.logIndex}:${transfer?.value}`
    })
    expect(expected.length).toBeGreaterThanOrEqual(records)
    const walked: Array<string> = []
    // Upwards the end moves while blocks arrive: the walk is left some way behind what was there at first.
    const options = { maxItems: expected.length + 500 }
    yield* data.walletTransfers.items({ address: busyWallet, chain: "eth", limit: 100, order }, options).pipe(
      Stream.runForEachChunk((chunk) =>
        Effect.sync(() => {
          for (const { log_index, transaction_hash, value } of chunk) {
            walked.push(`${transaction_hash}:${log_index}:${value}`)
          }
        })
      )
    )
    return { expected, walked, wrong: expected.findIndex((record, index) => record !== walked[index]) }
  })

/** The lists agree. (A difference is shown by its place: printing a hundred thousand records helps nobody.) */
const expectSameRecords = (
  { expected, walked, wrong }: { readonly [list in "expected" | "walked"]: ReadonlyArray<string> } & {
    readonly wrong: number
  }
) => {
  expect({ wrong, record: walked[wrong] }).toEqual({ wrong: -1, record: undefined })
  expect(walked.length).toBe(expected.length)
}

describe("a list of 100,000 records", () => {
  it.live("comes whole with cursors", () =>
    Effect.gen(function*() {
      expectSameRecords(yield* walkBusyWallet("DESC"))
    }).pipe(Effect.provide(over({ scale: records }))), 120_000)

  it.live("comes whole without cursors", () =>
    Effect.gen(function*() {
      expectSameRecords(yield* walkBusyWallet("DESC"))
    }).pipe(Effect.provide(over({ scale: records, walletTransfersCursor: false }))), 120_000)

  it.live("comes whole with cursors while blocks arrive", () =>
    Effect.gen(function*() {
      expectSameRecords(yield* walkBusyWallet("DESC"))
    }).pipe(Effect.provide(over({ scale: records, blocksPerRequest: 3 }))), 120_000)

  it.live(
    "comes whole without cursors while blocks arrive",
    () =>
      Effect.gen(function*() {
        expectSameRecords(yield* walkBusyWallet("DESC"))
      }).pipe(Effect.provide(over({ scale: records, walletTransfersCursor: false, blocksPerRequest: 3 }))),
    120_000
  )

  it.live(
    "comes whole in ascending order, and goes on to what arrived meanwhile",
    () =>
      Effect.gen(function*() {
        const { expected, walked, wrong } = yield* walkBusyWallet("ASC")
        expectSameRecords({ expected, walked: walked.slice(0, expected.length), wrong })
        expect(new Set(walked).size).toBe(walked.length)
      }).pipe(Effect.provide(over({ scale: records, walletTransfersCursor: false, blocksPerRequest: 1 }))),
    120_000
  )
})

describe("a list without cursors", () => {
  it.live("is resumed in whatever page size, since the size of its pages is part of its cursors", () =>
    Effect.gen(function*() {
      const data = yield* DataApi.DataApi
      const { ledger } = yield* Sandbox.Sandbox
      const address = ledger.examples.busyWallet
      const count = ledger.chains.get("eth")?.walletTransfers(address).length
      const first = yield* data.walletTransfers.pages({ address, chain: "eth", limit: 25 }, { maxPages: 3 })
        .pipe(
          Stream.runCollect
        )
      const given = Chunk.reduce(first, 0, (sum, page) => sum + page.result.length)
      const cursor = Option.getOrUndefined(Chunk.last(first))?.cursor ?? undefined
      for (const limit of [undefined, 10, 100]) {
        const rest = yield* Stream.runCount(
          data.walletTransfers.items({ address, chain: "eth", limit }, { cursor })
        )
        expect(given + rest).toBe(count)
      }
    }).pipe(Effect.provide(over({ scale: 300, walletTransfersCursor: false }))))
})
