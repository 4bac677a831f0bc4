/** Tests configured secrets that no cache entry may contain. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { cachingOptions, numberedPrice, withInspectableStore } from "../../../support/CacheFixtures.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import { engineHarness, keysOf, secretOf } from "../../../support/TestEngine.ts"
import { runPendingWork } from "../../../support/TestTime.ts"

const secret = "a+word/of \"another\" address"

const options = { ...cachingOptions, uncacheable: [Redacted.make(secret)] }

const inJson = JSON.stringify(secret)

const echoingReplies: ReadonlyArray<readonly [string, ScriptedClient.ScriptedReply]> = [
  ["in its body", ScriptedClient.respond(200, `{"usdPrice":1,"tokenName":${inJson}}`)],
  [
    "in its body, escaped",
    ScriptedClient.respond(
      200,
      `{"usdPrice":1,"tokenName":${inJson.replace("a+", "\\u0061+").replace("/", "\\/")}}`
    )
  ],
  ["in a header", ScriptedClient.json({ usdPrice: 1 }, 200, { etag: secret })],
  ["in an error that would be cached", ScriptedClient.json({ message: secret }, 404)]
]

describe("a response with an uncacheable secret", () => {
  it.effect.each(echoingReplies)("%s is returned but not cached", ([, reply]) =>
    Effect.gen(function*() {
      const [harness, entries] = yield* withInspectableStore(engineHarness(() => reply, options))
      expect(yield* harness.send(1)).toMatchObject({
        source: "upstream",
        response: { status: expect.any(Number) }
      })
      yield* runPendingWork
      expect(entries.size).toBe(0)
      const [others, cachedEntries] = yield* withInspectableStore(engineHarness(() => reply, cachingOptions))
      yield* others.send(1)
      expect(cachedEntries.size).toBe(1)
    }))

  it.effect("is not cached by a revalidation", () =>
    Effect.gen(function*() {
      const { send, requests } = yield* engineHarness(
        (request, number) =>
          number === 1 ? numberedPrice(request, 1) : ScriptedClient.json({ usdPrice: 2, tokenName: secret }),
        options
      )
      yield* send(1)
      yield* TestClock.adjust(6000)
      for (const _ of ["first", "second"]) {
        expect(yield* send(1)).toMatchObject({ source: "stale", storedAt: 0 })
        yield* runPendingWork
      }
      expect(requests).toHaveLength(3)
    }))

  it.effect("in a header is not cached, if it is another key of the same base URL", () =>
    Effect.gen(function*() {
      const [harness, entries] = yield* withInspectableStore(
        engineHarness(() => ScriptedClient.json({ usdPrice: 1 }, 200, { etag: secretOf("b") }), {
          ...cachingOptions,
          apiKey: keysOf("a", "b")
        })
      )
      yield* harness.send(1)
      expect(entries.size).toBe(0)
    }))
})
