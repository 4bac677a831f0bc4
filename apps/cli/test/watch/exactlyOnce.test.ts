/** A watch prints every record exactly once, over events between its polls and during them. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import { isFull } from "../../../../packages/core/test/support/sample.ts"
import { type RunningWatch, startWatch, temporaryFile } from "./support.ts"
import { printedIds, transferUpstream } from "./transferUpstream.ts"

const wallet = "0xba766b2113a53a5900c11859ceca38ca9918c6b4"

const overlap = 8

const event = FastCheck.oneof(
  { arbitrary: FastCheck.record({ tag: FastCheck.constant("poll" as const) }), weight: 3 },
  {
    arbitrary: FastCheck.record({
      tag: FastCheck.constant("arrive" as const),
      blocks: FastCheck.nat(6),
      count: FastCheck.integer({ min: 1, max: 7 })
    }),
    weight: 3
  },
  {
    arbitrary: FastCheck.record({
      tag: FastCheck.constant("late" as const),
      depth: FastCheck.nat(overlap - 1)
    }),
    weight: 2
  },
  {
    arbitrary: FastCheck.record({
      tag: FastCheck.constant("fail" as const),
      failures: FastCheck.array(
        FastCheck.constantFrom("reset" as const, 429 as const, 500 as const, 503 as const),
        {
          minLength: 1,
          maxLength: 6
        }
      )
    }),
    weight: 2
  },
  {
    arbitrary: FastCheck.record({
      tag: FastCheck.constant("restart" as const),
      // Null between polls, otherwise during the poll after this many requests
      afterRequests: FastCheck.option(FastCheck.nat(4))
    }),
    weight: 2
  }
)

it.scoped.prop(
  "prints every record exactly once over arrivals, late records, failures and restarts",
  [
    FastCheck.array(event, { minLength: 1, maxLength: 14 }),
    FastCheck.integer({ min: 1, max: 5 })
  ],
  ([events, limit]) =>
    Effect.gen(function*() {
      const upstream = transferUpstream()
      for (const block of [95, 97, 100, 100]) upstream.add(block)
      const old = new Set(upstream.ids())
      const state = temporaryFile("state.json")
      const start = startWatch(
        ["watch", "wallet", "transfers", wallet, "--limit", String(limit), "--overlap", String(overlap)]
          .concat(
            "--state",
            state
          ),
        upstream.client
      )
      let watch: RunningWatch = yield* start
      let out = ""
      const restart = Effect.gen(function*() {
        yield* watch.interrupt
        out += watch.captured.out
        watch = yield* start
      })
      for (const each of events) {
        switch (each.tag) {
          case "poll":
            yield* watch.poll
            break
          case "arrive": {
            const block = upstream.highestBlock() + each.blocks
            for (let index = 0; index < each.count; index++) upstream.add(block)
            break
          }
          case "late":
            upstream.add(upstream.highestBlock() - each.depth)
            break
          case "fail":
            upstream.failNext(each.failures)
            break
          case "restart":
            if (each.afterRequests !== null) {
              const { fiber } = watch
              upstream.interceptAfter(
                each.afterRequests,
                Effect.zipRight(Effect.forkDaemon(Fiber.interrupt(fiber)), Effect.never)
              )
              yield* watch.poll
            }
            yield* restart
            break
        }
      }
      while (upstream.isFailing()) yield* watch.poll
      yield* watch.poll
      yield* watch.poll
      yield* restart
      yield* watch.interrupt
      const printed = printedIds(out + watch.captured.out)
      expect(printed.toSorted()).toEqual(upstream.ids().filter((id) => !old.has(id)).toSorted())
    }),
  // Waits of real files take most of the time
  { fastCheck: { numRuns: isFull ? 80 : 7 } }
)
