/** Tests pagination as a stream: limits, prefetching, interruption, and repeated runs. */
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { address } from "../support/Examples.ts"
import { failureOf } from "../support/Failures.ts"
import { addressOf } from "../support/PriceCalls.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import * as TestClients from "../support/TestClients.ts"

const input = { token_address: address }

/** Twenty pages of three records. */
const service = ({ url }: ScriptedClient.RecordedRequest): ScriptedClient.ScriptedReply => {
  const page = Number(url.searchParams.get("cursor") ?? 0)
  return ScriptedClient.json({
    cursor: page === 19 ? null : page + 1,
    result: [0, 1, 2].map((place) => page * 3 + place)
      .map((number) => ({ owner_address: addressOf(number), balance: number }))
  })
}

describe("pagination", () => {
  it.effect("sends no request before it runs, and fetches each page on demand", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(service)
      const { items, pages } = harness.data.tokenOwners
      const stream = items(input)
      expect(harness.requests).toHaveLength(0)
      yield* Stream.runDrain(Stream.take(stream, 3))
      expect(harness.requests).toHaveLength(1)
      yield* Stream.runDrain(Stream.take(stream, 4))
      expect(harness.requests).toHaveLength(3)
      yield* Stream.runHead(pages(input))
      expect(harness.requests).toHaveLength(4)
    }))

  it.effect("ends after maxPages, and the last cursor continues", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(service)
      const { items, pages } = harness.data.tokenOwners
      for (const maxPages of [0, 1, 2, 7]) {
        harness.requests.length = 0
        expect(yield* Stream.runCount(pages(input, { maxPages }))).toBe(maxPages)
        expect(harness.requests).toHaveLength(maxPages)
        expect(yield* Stream.runCount(items(input, { maxPages }))).toBe(3 * maxPages)
      }
      expect(yield* Stream.runCount(pages(input, { maxPages: 99 }))).toBe(20)
      const two = Chunk.toReadonlyArray(yield* Stream.runCollect(pages(input, { maxPages: 2 })))
      expect(two.map(({ cursor }) => cursor)).toEqual(["1", "2"])
    }))

  it.effect.prop(
    "fetches exactly the pages of maxItems records, however many it prefetches",
    { maxItems: FastCheck.integer({ min: 0, max: 70 }), prefetch: FastCheck.integer({ min: 0, max: 30 }) },
    ({ maxItems, prefetch }) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness(service)
        const { tokenOwners } = harness.data
        const records = yield* Stream.runCount(tokenOwners.items(input, { maxItems, prefetch }))
        expect(records).toBe(Math.min(maxItems, 60))
        expect(harness.requests).toHaveLength(Math.min(Math.ceil(maxItems / 3), 20))
      }).pipe(Effect.scoped)
  )
})

describe("prefetch", () => {
  it.effect.each([undefined, 0, 1, 3, 8])(
    "%s fetches that many pages ahead plus one",
    (prefetch) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness(service)
        const ahead: Array<number> = []
        let read = 0
        yield* Stream.runForEach(harness.data.tokenOwners.pages(input, { prefetch }), () =>
          Effect.gen(function*() {
            read += 1
            // Runs everything that does not wait for the consumer.
            yield* TestClock.adjust(0)
            ahead.push(harness.requests.length - read)
          }))
        expect(ahead).toHaveLength(20)
        expect(Math.max(...ahead)).toBe(prefetch === undefined || prefetch === 0 ? 0 : prefetch + 1)
      })
  )
})

it.effect("prefetched pages are returned before the error of the next one", () =>
  Effect.gen(function*() {
    const harness = yield* TestClients.harness((request, number) =>
      number < 3 ? service(request) : ScriptedClient.respond(400)
    )
    const cursors: Array<unknown> = []
    const pages = harness.data.tokenOwners.pages(input, { prefetch: 5 })
    const read = Stream.runForEach(pages, ({ cursor }) => Effect.sync(() => cursors.push(cursor)))
    expect(yield* failureOf(read)).toMatchObject({ _tag: "RequestRejectedError" })
    expect(cursors).toEqual(["1", "2"])
  }))

describe("interruption", () => {
  it.effect.each([0, 3])(
    "of pagination with prefetch %d aborts the request in flight and sends no other",
    (prefetch) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness((requests, number) =>
          number < 3 ? service(requests) : ScriptedClient.Hang()
        )
        const fiber = yield* Effect.fork(Stream.runDrain(harness.data.tokenOwners.items(input, { prefetch })))
        yield* TestClock.adjust("1 second")
        expect(harness.requests).toHaveLength(3)
        yield* Fiber.interrupt(fiber)
        expect(harness.requests[2]?.signal.aborted).toBe(true)
        yield* TestClock.adjust("1 hour")
        expect(harness.requests).toHaveLength(3)
      })
  )
})
