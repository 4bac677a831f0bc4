/** The update of a stream: repeated only when it cannot have taken effect, and honest about it otherwise. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Clients from "../support/Clients.ts"
import { updateStreamStatus } from "../support/Examples.ts"
import { failure } from "../support/Failure.ts"
import { passing, waits } from "../support/Passing.ts"
import * as Scripted from "../support/Scripted.ts"

const hint = { "retry-after": "3" }

const harmless: ReadonlyArray<readonly [name: string, reply: Scripted.Reply, tag: string]> = [
  ["a refused connection", Scripted.Fault({ code: "ECONNREFUSED" }), "Unreachable"],
  ["an unknown host", Scripted.Fault({ code: "ENOTFOUND" }), "Unreachable"],
  ["a 429", Scripted.answer(429, "{}"), "RateLimited"],
  ["a 429 with a hint", Scripted.answer(429, "{}", hint), "RateLimited"],
  ["a 503 with a hint", Scripted.answer(503, "{}", hint), "ServiceFailed"]
]

/** Sent once; whether the failure must say that the update may have taken effect (undefined: it has no such fact). */
const final: ReadonlyArray<
  readonly [name: string, reply: Scripted.Reply, tag: string, effect: boolean | undefined]
> = [
  ["a reset", Scripted.Fault({ code: "ECONNRESET" }), "Unreachable", true],
  ["a broken pipe", Scripted.Fault({ code: "EPIPE" }), "Unreachable", true],
  ["a closed socket", Scripted.Fault({ code: "UND_ERR_SOCKET" }), "Unreachable", true],
  ["a fault without a name", Scripted.Fault({ code: "" }), "Unreachable", true],
  ["silence", Scripted.Hang(), "TimedOut", true],
  ["a 408", Scripted.answer(408, "{}", hint), "TimedOut", true],
  ["a 500", Scripted.answer(500, "{}", hint), "ServiceFailed", true],
  ["a 502", Scripted.answer(502, "{}", hint), "ServiceFailed", true],
  ["a 503 without a hint", Scripted.answer(503, "{}"), "ServiceFailed", true],
  [
    "a 503 with garbage for a hint",
    Scripted.answer(503, "{}", { "retry-after": "soon" }),
    "ServiceFailed",
    true
  ],
  ["a 504", Scripted.answer(504, "{}", hint), "ServiceFailed", true],
  ["a redirect", Scripted.answer(302, "", { location: "https://elsewhere.test/" }), "ServiceFailed", false],
  ["half a document", Scripted.answer(200, "{\"id\":"), "ResponseInvalid", true],
  ["an empty body", Scripted.answer(200, "", hint), "ResponseInvalid", true],
  ["a document that does not fit", Scripted.json({ id: 1 }), "ResponseInvalid", true],
  ["another success", Scripted.json(updateStreamStatus.document, 202), "ResponseInvalid", true],
  ["a body over the cap", Scripted.answer(200, "7".repeat(1000)), "ResponseInvalid", true],
  ["a 400", Scripted.answer(400, "{}"), "BadRequest", undefined],
  ["a 401", Scripted.answer(401, "{}"), "KeyRefused", undefined],
  ["a 404", Scripted.answer(404, "{}"), "NotFound", undefined]
]

describe("the update of a stream", () => {
  it.effect.each(harmless)("is repeated after %s", ([, reply]) =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene([reply, reply, Scripted.json(updateStreamStatus.document)])
      expect(yield* passing(updateStreamStatus.ask(scene))).toMatchObject({ status: "paused" })
      expect(scene.asked.map(({ body }) => body)).toEqual(
        Array.from({ length: 3 }, () => `{"status":"paused"}`)
      )
    }))

  it.effect.each(harmless)(
    "that is never more than %s has not taken effect",
    ([, reply, tag]) =>
      Effect.gen(function*() {
        const scene = yield* Clients.scene(() => reply)
        const error = yield* passing(failure(updateStreamStatus.ask(scene)))
        expect(error._tag).toBe(tag)
        expect("mayHaveTakenEffect" in error && error.mayHaveTakenEffect).toBe(false)
        expect(error.message).not.toContain("may have taken effect")
        expect(scene.asked).toHaveLength(4)
      })
  )

  it.effect("waits as long as the hint says", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(() => Scripted.answer(503, "{}", hint))
      yield* passing(failure(updateStreamStatus.ask(scene)))
      expect(waits(scene.asked)).toEqual([3000, 3000, 3000])
    }))

  it.effect.each(final)("is not repeated after %s", ([, reply, tag, effect]) =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene([reply], { maxBodySize: 999 })
      const error = yield* passing(failure(updateStreamStatus.ask(scene)))
      expect(error._tag).toBe(tag)
      expect("mayHaveTakenEffect" in error ? error.mayHaveTakenEffect : undefined).toBe(effect)
      expect(error.message.includes("may have taken effect")).toBe(effect === true)
      expect(scene.asked).toHaveLength(1)
    }))

  it.effect("is not repeated after a fault that follows a harmless one", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene([
        Scripted.Fault({ code: "ECONNREFUSED" }),
        Scripted.Fault({ code: "ECONNRESET" })
      ])
      const error = yield* passing(failure(updateStreamStatus.ask(scene)))
      expect(error).toMatchObject({ _tag: "Unreachable", sent: true, mayHaveTakenEffect: true })
      expect(scene.asked).toHaveLength(2)
    }))
})
