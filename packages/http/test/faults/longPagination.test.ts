/** A walk of an hour, through every fault that passes: every record once and in order, and not a request too many. */
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
import * as Engine from "../../src/internal/pipeline/Engine.ts"
import * as TestClients from "../support/TestClients.ts"
import { heapUsed } from "./support/MemoryUsage.ts"
import * as VirtualTime from "./support/VirtualTime.ts"

const records = 60_000
const limit = 100

/** Twelve pages a minute, and two at once. */
const rateLimit = RateLimit.make({ limit: 50, window: "1 minute", burst: 10 })

/** What passes, as the sandbox calls it. */
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

/** A request, when it was sent and which fault it asked for. */
interface Sent {
  readonly at: number
  readonly fault: string | null
}

/** Every answer takes its time, and one in twenty is spoiled, in every way in turn. */
const withFaults = (client: HttpClient.HttpClient, sent: Array<Sent>): HttpClient.HttpClient => {
  let seenFaults = 0
  const next = () => faults[seenFaults++ % faults.length] ?? null
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
    const data = yield* DataApi.make({
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
    let wrong: number | null = null
    yield* data.walletTransfers.pages({ address, chain: "eth", limit }).pipe(
      Stream.runForEach(({ result }) =>
        Effect.sync(() => {
          pages += 1
          for (const { log_index, transaction_hash, value } of result) {
            const there = transfers?.at(length - 1 - count)
            const same = there?.transaction === transaction_hash && there.logIndex === log_index &&
              there.value === value
            if (!same) wrong ??= count
            count += 1
            if (count % Math.floor(length / 4) === 0) heap.push(heapUsed())
          }
        })
      )
    )
    return { length, pages, count, wrong, sent, heap, took: yield* Clock.currentTimeMillis }
  }).pipe(
    Effect.provide(Sandbox.layer({ ...options, scale: records, maxRecordedRequests: 10 })),
    Effect.withClock(VirtualTime.make()),
    Effect.withRandom(Random.make("an hour of trouble"))
  )

/** The most requests of any window of a minute. */
const maxPerMinute = (sent: ReadonlyArray<Sent>): number =>
  Math.max(...sent.map(({ at }, index) => sent.slice(index).filter((one) => one.at < at + 60_000).length))

const hour = 3_600_000
const mebibyte = 1024 * 1024

describe("a walk of an hour", () => {
  const lists: ReadonlyArray<readonly [way: string, options: Sandbox.SandboxOptions]> = [
    ["by cursor", { walletTransfersCursor: true }],
    ["by block", { walletTransfersCursor: false }]
  ]

  it.scopedLive.each(lists)(
    "%s gives every record once and in order",
    ([, options]) =>
      Effect.gen(function*() {
        const { count, heap, length, pages, sent, took: elapsedMillis, wrong } = yield* pagination(options)
        expect({ count, wrong }).toEqual({ count: length, wrong: null })
        expect(count).toBeGreaterThanOrEqual(records)
        expect(elapsedMillis).toBeGreaterThan(hour)

        const seenFaults = sent.flatMap(({ fault }) => fault ?? [])
        const { budget: { capacity, refill } } = RetryPolicy.standard
        expect(new Set(seenFaults).size).toBe(faults.length)
        expect(seenFaults.length / sent.length).toBeGreaterThan(0.03)
        // Every page is asked for until it comes, and then no more.
        expect(sent.length - seenFaults.length).toBe(pages)
        expect(seenFaults.length).toBeLessThanOrEqual(capacity + refill * pages)
        // Five units a page.
        expect(maxPerMinute(sent)).toBeLessThanOrEqual((rateLimit.limit + rateLimit.burst) / 5)

        // Cursors that were followed are remembered, to tell when one comes again.
        const [first = 0, , , last = 0] = heap
        expect(last - first).toBeLessThan(4 * mebibyte)
      }),
    120_000
  )
})
