/** Lists over outages: how long they last, and where the list continues. */
import { type OperationError, RateLimitError } from "@blockquarry/core/OperationError"
import { expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { adjustable } from "../../../../packages/http/test/faults/support/CustomClock.ts"
import type { RecordPage, RecordSource } from "../../src/list/RecordList.ts"
import { retryPages } from "../../src/list/RetryPages.ts"
import { pageOf, refused, request } from "../support/pages.ts"

const rateLimited = new RateLimitError({ ...request, response: null, retryAfter: Duration.minutes(10) })

/** Reads three pages from a service that fails for minutes after the first one. */
const read = (retryFor: Duration.DurationInput, minutes: number, error: OperationError, cursor?: null) => {
  const pageAt = (index: number): Stream.Stream<RecordPage<number>, OperationError> =>
    Stream.unwrap(Effect.map(Clock.currentTimeNanos, (now) => {
      if (index > 0 && now < BigInt(minutes) * 60_000_000_000n) {
        return Stream.fail(error)
      }
      const next = index === 2 ? null : cursor === null ? undefined : String(index + 1)
      const own = Stream.make(pageOf([index], next))
      return index === 2 ? own : Stream.concat(own, pageAt(index + 1))
    }))
  const source: RecordSource<number> = {
    input: {},
    subject: null,
    warning: null,
    isSinglePage: false,
    pages: (cursor) => pageAt(Number(cursor ?? 0))
  }
  const { pages } = retryPages(source, Duration.decode(retryFor), () => Effect.void)
  return pages().pipe(
    Stream.mapConcat(({ rows }) => rows.map(({ item }) => item)),
    Stream.runCollect,
    Effect.map(Chunk.toReadonlyArray),
    Effect.either
  )
}

/** Runs an effect until nothing waits. */
const ended = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(
    Effect.fork(effect),
    (fiber) => Effect.zipRight(TestClock.adjust("3 hours"), Fiber.join(fiber))
  )

const all = expect.objectContaining({ right: [0, 1, 2] })

it.effect.each(
  [
    ["outlast an outage that is shorter, and continue after the last page", "10 minutes", 9, refused, all],
    ["end with its cause after one that is longer", "10 minutes", 11, refused, { left: refused }],
    ["end at once without a duration", 0, 1, refused, { left: refused }],
    ["wait for a rate limit as long as it lasts", "1 minute", 90, rateLimited, all]
  ] as const
)(
  "%s",
  ([, retryFor, minutes, error, result]) =>
    Effect.map(ended(read(retryFor, minutes, error)), (either) => expect(either).toMatchObject(result))
)

it.effect("end after a page that has no cursor", () =>
  Effect.map(
    ended(read("10 minutes", 1, refused, null)),
    (either) => expect(either).toMatchObject({ left: refused })
  ))

it.effect("do not end early when the time of day jumps", () =>
  Effect.gen(function*() {
    const { adjust, clock, setBack } = yield* adjustable
    const fiber = yield* Effect.fork(Effect.withClock(read("10 minutes", 5, refused), clock))
    yield* adjust("2 minutes")
    setBack(-3_600_000)
    yield* adjust("3 hours")
    expect(yield* Fiber.join(fiber)).toMatchObject(all)
  }))
