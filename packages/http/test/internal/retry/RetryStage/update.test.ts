/** Tests that an update is retried only if it cannot have been applied, and that its errors state it. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { updateStreamStatus } from "../../../support/Examples.ts"
import { failureOf } from "../../../support/Failures.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { waitsBetween, whileTimePasses } from "../../../support/TestTime.ts"

const withRetryAfter = { "retry-after": "3" }

const notApplied: ReadonlyArray<readonly [name: string, reply: ScriptedClient.ScriptedReply, tag: string]> = [
  ["a refused connection", ScriptedClient.Disconnect({ code: "ECONNREFUSED" }), "NetworkError"],
  ["an unknown host", ScriptedClient.Disconnect({ code: "ENOTFOUND" }), "NetworkError"],
  ["a 429", ScriptedClient.respond(429, "{}"), "RateLimitError"],
  ["a 429 with Retry-After", ScriptedClient.respond(429, "{}", withRetryAfter), "RateLimitError"],
  ["a 503 with Retry-After", ScriptedClient.respond(503, "{}", withRetryAfter), "ServerError"]
]

/** Sent once, with the expected `mayHaveBeenApplied` (undefined: the error has no such field). */
const final: ReadonlyArray<
  readonly [name: string, reply: ScriptedClient.ScriptedReply, tag: string, effect: boolean | undefined]
> = [
  ["a reset", ScriptedClient.Disconnect({ code: "ECONNRESET" }), "NetworkError", true],
  ["a broken pipe", ScriptedClient.Disconnect({ code: "EPIPE" }), "NetworkError", true],
  ["a closed socket", ScriptedClient.Disconnect({ code: "UND_ERR_SOCKET" }), "NetworkError", true],
  ["an error without a code", ScriptedClient.Disconnect({ code: "" }), "NetworkError", true],
  ["no response", ScriptedClient.Hang(), "TimeoutError", true],
  ["a 408", ScriptedClient.respond(408, "{}", withRetryAfter), "TimeoutError", true],
  ["a 500", ScriptedClient.respond(500, "{}", withRetryAfter), "ServerError", true],
  ["a 502", ScriptedClient.respond(502, "{}", withRetryAfter), "ServerError", true],
  ["a 503 without Retry-After", ScriptedClient.respond(503, "{}"), "ServerError", true],
  [
    "a 503 with an invalid Retry-After",
    ScriptedClient.respond(503, "{}", { "retry-after": "soon" }),
    "ServerError",
    true
  ],
  ["a 504", ScriptedClient.respond(504, "{}", withRetryAfter), "ServerError", true],
  [
    "a redirect",
    ScriptedClient.respond(302, "", { location: "https://elsewhere.test/" }),
    "InvalidResponseError",
    false
  ],
  ["half a document", ScriptedClient.respond(200, "{\"id\":"), "InvalidResponseError", true],
  ["an empty body", ScriptedClient.respond(200, "", withRetryAfter), "InvalidResponseError", true],
  ["an unexpected shape", ScriptedClient.json({ id: 1 }), "InvalidResponseError", true],
  ["another success", ScriptedClient.json(updateStreamStatus.document, 202), "InvalidResponseError", true],
  ["a body over the size limit", ScriptedClient.respond(200, "7".repeat(1000)), "InvalidResponseError", true],
  ["a 400", ScriptedClient.respond(400, "{}"), "RequestRejectedError", undefined],
  ["a 401", ScriptedClient.respond(401, "{}"), "AuthenticationError", undefined],
  ["a 403", ScriptedClient.respond(403, "{}"), "PermissionDeniedError", undefined],
  ["a 404", ScriptedClient.respond(404, "{}"), "NotFoundError", undefined]
]

describe("an update", () => {
  it.effect.each(notApplied)("is retried after %s", ([, reply]) =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([
        reply,
        reply,
        ScriptedClient.json(updateStreamStatus.document)
      ])
      expect(yield* whileTimePasses(updateStreamStatus.call(harness))).toMatchObject({ status: "paused" })
      expect(harness.requests.map(({ body }) => body)).toEqual(
        Array.from({ length: 3 }, () => `{"status":"paused"}`)
      )
    }))

  it.effect.each(notApplied)(
    "was not applied if every attempt ends with %s",
    ([, reply, tag]) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness(() => reply)
        const error = yield* whileTimePasses(failureOf(updateStreamStatus.call(harness)))
        expect(error._tag).toBe(tag)
        expect("mayHaveBeenApplied" in error && error.mayHaveBeenApplied).toBe(false)
        expect(error.message).not.toContain("may have been applied")
        expect(error).toMatchObject({ retryable: true })
        expect(harness.requests).toHaveLength(4)
      })
  )

  it.effect("waits for Retry-After", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness(() => ScriptedClient.respond(503, "{}", withRetryAfter))
      yield* whileTimePasses(failureOf(updateStreamStatus.call(harness)))
      expect(waitsBetween(harness.requests)).toEqual([3000, 3000, 3000])
    }))

  it.effect.each(final)("is not retried after %s", ([, reply, tag, effect]) =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([reply], { maxBodySize: 999 })
      const error = yield* whileTimePasses(failureOf(updateStreamStatus.call(harness)))
      expect(error._tag).toBe(tag)
      expect("mayHaveBeenApplied" in error ? error.mayHaveBeenApplied : undefined).toBe(effect)
      expect(error.message.includes("may have been applied")).toBe(effect === true)
      expect(error).toMatchObject({ retryable: false })
      expect(harness.requests).toHaveLength(1)
    }))

  it.effect("is not retried after an error that may have been applied, even if earlier ones were not", () =>
    Effect.gen(function*() {
      const harness = yield* TestClients.harness([
        ScriptedClient.Disconnect({ code: "ECONNREFUSED" }),
        ScriptedClient.Disconnect({ code: "ECONNRESET" })
      ])
      const error = yield* whileTimePasses(failureOf(updateStreamStatus.call(harness)))
      expect(error).toMatchObject({ _tag: "NetworkError", sent: true, mayHaveBeenApplied: true })
      expect(harness.requests).toHaveLength(2)
    }))
})
