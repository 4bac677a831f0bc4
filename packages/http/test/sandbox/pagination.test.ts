/** Tests pagination of long lists of the sandbox: every record once, in order. */
import * as DataApi from "@blockquarry/http/DataApi"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { isFull } from "../../../core/test/support/sample.ts"

/** The full check reads longer lists than this sample. */
const records = isFull ? 100_000 : 5000

const withSandbox = (options: Sandbox.SandboxOptions) =>
  DataApi.layer({ apiKey: Redacted.make(Sandbox.apiKey), baseUrl: Sandbox.baseUrls.data }).pipe(
    Layer.provideMerge(Sandbox.layer(options))
  )

/** Fetches the transfers of the busy wallet, and the expected ones as of the start. */
const fetchBusyWallet = (order: "ASC" | "DESC") =>
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
    const fetched: Array<string> = []
    // In ascending order new blocks extend the list, so the number of records is limited.
    const options = { maxItems: expected.length + 500 }
    yield* data.walletTransfers.items({ address: busyWallet, chain: "eth", limit: 100, order }, options).pipe(
      Stream.runForEachChunk((chunk) =>
        Effect.sync(() => {
          for (const { log_index, transaction_hash, value } of chunk) {
            fetched.push(`${transaction_hash}:${log_index}:${value}`)
          }
        })
      )
    )
    return { expected, fetched, mismatch: expected.findIndex((record, index) => record !== fetched[index]) }
  })

/** Compares the lists. Reports only the index of a mismatch, because the lists are long. */
const expectSameRecords = (
  { expected, fetched, mismatch }: { readonly [list in "expected" | "fetched"]: ReadonlyArray<string> } & {
    readonly mismatch: number
  }
) => {
  expect({ mismatch, record: fetched[mismatch] }).toEqual({ mismatch: -1, record: undefined })
  expect(fetched.length).toBe(expected.length)
}

describe("a long list", () => {
  it.live("is complete with cursors", () =>
    Effect.gen(function*() {
      expectSameRecords(yield* fetchBusyWallet("DESC"))
    }).pipe(Effect.provide(withSandbox({ scale: records }))), 120_000)

  it.live("is complete without cursors", () =>
    Effect.gen(function*() {
      expectSameRecords(yield* fetchBusyWallet("DESC"))
    }).pipe(Effect.provide(withSandbox({ scale: records, walletTransfersCursor: false }))), 120_000)

  it.live("is complete with cursors while blocks arrive", () =>
    Effect.gen(function*() {
      expectSameRecords(yield* fetchBusyWallet("DESC"))
    }).pipe(Effect.provide(withSandbox({ scale: records, blocksPerRequest: 3 }))), 120_000)

  it.live(
    "is complete without cursors while blocks arrive",
    () =>
      Effect.gen(function*() {
        expectSameRecords(yield* fetchBusyWallet("DESC"))
      }).pipe(
        Effect.provide(withSandbox({ scale: records, walletTransfersCursor: false, blocksPerRequest: 3 }))
      )
  )

  it.live(
    "is complete in ascending order, and continues with new blocks",
    () =>
      Effect.gen(function*() {
        const { expected, fetched, mismatch } = yield* fetchBusyWallet("ASC")
        expectSameRecords({ expected, fetched: fetched.slice(0, expected.length), mismatch })
        expect(new Set(fetched).size).toBe(fetched.length)
      }).pipe(
        Effect.provide(withSandbox({ scale: records, walletTransfersCursor: false, blocksPerRequest: 1 }))
      )
  )
})

describe("a list without cursors", () => {
  it.live("can be resumed with any page size, because cursors contain the page size", () =>
    Effect.gen(function*() {
      const data = yield* DataApi.DataApi
      const { ledger } = yield* Sandbox.Sandbox
      const address = ledger.examples.busyWallet
      const count = ledger.chains.get("eth")?.walletTransfers(address).length
      const first = yield* data.walletTransfers.pages({ address, chain: "eth", limit: 25 }, { maxPages: 3 })
        .pipe(
          Stream.runCollect
        )
      const delivered = Chunk.reduce(first, 0, (sum, page) => sum + page.result.length)
      const cursor = Option.getOrUndefined(Chunk.last(first))?.cursor ?? undefined
      for (const limit of [undefined, 10, 100]) {
        const remaining = yield* Stream.runCount(
          data.walletTransfers.items({ address, chain: "eth", limit }, { cursor })
        )
        expect(delivered + remaining).toBe(count)
      }
    }).pipe(Effect.provide(withSandbox({ scale: 300, walletTransfersCursor: false }))))
})
