/** The hint of the service: obeyed where there is time, and told where there is not. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Clients from "../support/Clients.ts"
import { failsNow } from "../support/Failure.ts"
import { bare, fine, price, seconds } from "../support/Numbered.ts"
import { passing } from "../support/Passing.ts"
import * as Scripted from "../support/Scripted.ts"

const year = 365 * 86_400

const hints: ReadonlyArray<readonly [header: string, seconds: number]> = [
  ["3", 3],
  ["0.5", 0.5],
  ["Thu, 01 Jan 1970 00:00:04 GMT", 4]
]

/** Beyond any call's time. */
const long: ReadonlyArray<readonly [header: string, seconds: number]> = [
  ["10", 10],
  ["86400", 86_400],
  ["999999999999999", year],
  ["Thu, 01 Jan 1970 00:00:10 GMT", 10],
  ["Fri, 31 Dec 9999 23:59:59 GMT", year]
]

const none = ["Thu, 01 Jan 1970 00:00:00 GMT", "0", "-5", "soon", "", "3 seconds", "1e3", "NaN"]

const options = {
  ...bare,
  retry: Clients.atOnce(2),
  timeouts: { attempt: "5 seconds", total: "10 seconds" }
} as const

describe.each([["RateLimited", 429], ["ServiceFailed", 503]] as const)(
  "the hint of a failure: %s",
  (tag, status) => {
    const script = (header: string) => [Scripted.answer(status, "{}", { "retry-after": header }), fine]

    it.effect.each(hints)("is obeyed where there is time: %s", ([header, wait]) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene(script(header), options)
        expect(yield* passing(price(scene, 1), "10 seconds")).toMatchObject({ usdPrice: 1.5 })
        expect(seconds(scene.asked)).toEqual([0, wait])
      }))

    it.effect.each(long)(
      "beyond the time that is left fails the call at once, and is told: %s",
      ([header, wait]) =>
        Effect.gen(function*() {
          const scene = yield* Clients.scene(script(header), options)
          expect(yield* failsNow(price(scene, 1))).toMatchObject({
            _tag: tag,
            status,
            retryAfter: Duration.seconds(wait)
          })
          expect(scene.asked).toHaveLength(1)
        })
    )

    it.effect.each(none)("is none where it is garbage or past: %j", (header) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene(script(header), options)
        expect(yield* passing(price(scene, 1), "10 seconds")).toMatchObject({ usdPrice: 1.5 })
        // Ours is none at all here; after a 429 nobody goes for a second.
        expect(seconds(scene.asked)).toEqual([0, status === 429 ? 1 : 0])
      }))
  }
)
