/** Tests pagination for a simulated hour with every retryable fault: each record once, in order, no extra requests. */
import * as Api from "@blockquarry/http/Api"
import * as DataApi from "@blockquarry/http/DataApi"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Engine from "../../src/Engine.ts"
import { heapUsed } from "../support/MemoryUsage.ts"
import * as TestClients from "../support/TestClients.ts"
import * as VirtualTime from "./support/VirtualTime.ts"

const records = 60_000
const limit = 100

/** Twelve pages per minute, with a burst of two. */
const rateLimit = RateLimit.make({ limit: 50, window: "1 minute", burst: 10 })

/** Retryable faults, as the sandbox names them. */
const faults: ReadonlyArray<string> = [
  "status=429",
  "status=429;retry-after=3",
  "status=500",
  "status=502",
  "status=503",
  "status=503;retry-after=7",
  "status=504",
  "status=408",
  "reset",
  "reset-body",
  "truncate",
  "gzip-truncated",
  "bad-json",
  "html",
  "empty",
  "hang",
  "stall"
]

/** A sent request, with its time and fault. */
interface Sent {
  readonly at: number
  readonly fault: string | null
}

/** Delays every response, and injects a fault into one of twenty, each in turn. */
const withFaults = (client: HttpClient.HttpClient, sent: Array<Sent>): HttpClient.HttpClient => {
  let faultCount = 0
  const next = () => faults[faultCount++ % faults.length] ?? null
  return HttpClient.mapRequestEffect(client, (request) =>
    Effect.gen(function*() {
      const delay = yield* Random.nextIntBetween(100, 4000)
      const fault = (yield* Random.next) < 0.05 ? next() : null
      sent.push({ at: yield* Clock.currentTimeMillis, fault })
      const text = fault === null ? `delay=${delay}` : `delay=${delay};${fault}`
      return HttpClientRequest.setHeader(request, Sandbox.faultHeader, text)
    }))
}

const pagination = (options: Sandbox.SandboxOptions) =>
  Effect.gen(function*() {
    const { ledger } = yield* Sandbox.Sandbox
    const sent: Array<Sent> = []
    const http = withFaults(yield* HttpClient.HttpClient, sent)
    const data = yield* Api.make(DataApi.DataApi, {
      apiKey: Redacted.make(Sandbox.apiKey),
      baseUrl: Sandbox.baseUrls.data,
      rateLimit
    }).pipe(
      Effect.provideServiceEffect(Engine.Engine, TestClients.engine),
      Effect.provideService(HttpClient.HttpClient, http)
    )
    const address = ledger.examples.busyWallet
    const transfers = ledger.chains.get("eth")?.walletTransfers(address)
    const length = transfers?.length ?? 0
    const heap: Array<number> = []
    let pages = 0
    let count = 0
    let firstMismatch: number | null = null
    yield* data.walletTransfers.pages({ address, chain: "eth", limit }).pipe(
      Stream.runForEach(({ result }) =>
        Effect.sync(() => {
          pages += 1
          for (const { log_index, transaction_hash, value } of result) {
            const expected = transfers?.at(length - 1 - count)
            const same = expected?.transaction === transaction_hash && expected.logIndex === log_index &&
              expected.value === value
            if (!same) firstMismatch ??= count
            count += 1
            if (count % Math.floor(length / 4) === 0) heap.push(heapUsed())
          }
        })
      )
    )
    return { length, pages, count, firstMismatch, sent, heap, elapsedMillis: yield* Clock.currentTimeMillis }
  }).pipe(
    Effect.provide(Sandbox.layer({ ...options, scale: records, maxRecordedRequests: 10 })),
    Effect.withClock(VirtualTime.make()),
    Effect.withRandom(Random.make("longPagination"))
  )

/** Returns the most requests in any window of a minute. */
const maxPerMinute = (sent: ReadonlyArray<Sent>): number =>
  Math.max(...sent.map(({ at }, index) => sent.slice(index).filter((next) => next.at < at + 60_000).length))

const hour = 3_600_000
const mebibyte = 1024 * 1024

describe("pagination for an hour", () => {
  const lists: ReadonlyArray<readonly [mode: string, options: Sandbox.SandboxOptions]> = [
    ["by cursor", { walletTransfersCursor: true }],
    ["by block", { walletTransfersCursor: false }]
  ]

  it.scopedLive.each(lists)(
    "%s returns every record once and in order",
    ([, options]) =>
      Effect.gen(function*() {
        const { count, elapsedMillis, firstMismatch, heap, length, pages, sent } = yield* pagination(options)
        expect({ count, firstMismatch }).toEqual({ count: length, firstMismatch: null })
        expect(count).toBeGreaterThanOrEqual(records)
        expect(elapsedMillis).toBeGreaterThan(hour)

        const injected = sent.flatMap(({ fault }) => fault ?? [])
        const { budget: { capacity, refill } } = RetryPolicy.standard
        expect(new Set(injected).size).toBe(faults.length)
        expect(injected.length / sent.length).toBeGreaterThan(0.03)
        // Every page is fetched successfully exactly once.
        expect(sent.length - injected.length).toBe(pages)
        expect(injected.length).toBeLessThanOrEqual(capacity + refill * pages)
        // A page costs five units.
        expect(maxPerMinute(sent)).toBeLessThanOrEqual((rateLimit.limit + rateLimit.burst) / 5)

        // Pagination only keeps the followed cursors, to detect repeated ones.
        const [first = 0, , , last = 0] = heap
        expect(last - first).toBeLessThan(4 * mebibyte)
      })
  )
})
