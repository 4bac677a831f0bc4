/** Secrets besides the key that no kept answer may say. */
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

const echoingReply: ReadonlyArray<readonly [string, ScriptedClient.ScriptedReply]> = [
  ["in its body", ScriptedClient.respond(200, `{"usdPrice":1,"tokenName":${inJson}}`)],
  [
    "in its body, escaped",
    ScriptedClient.respond(
      200,
      `{"usdPrice":1,"tokenName":${inJson.replace("a+", "\\u0061+").replace("/", "\\/")}}`
    )
  ],
  ["in a header", ScriptedClient.json({ usdPrice: 1 }, 200, { etag: secret })],
  ["in a failure that is kept otherwise", ScriptedClient.json({ message: secret }, 404)]
]

describe("an answer that says a word that is never kept", () => {
  it.effect.each(echoingReply)("%s is given, and not kept", ([, reply]) =>
    Effect.gen(function*() {
      const [harness, kept] = yield* withInspectableStore(engineHarness(() => reply, options))
      expect(yield* harness.send(1)).toMatchObject({
        source: "upstream",
        response: { status: expect.any(Number) }
      })
      yield* runPendingWork
      expect(kept.size).toBe(0)
      const [others, cachedThere] = yield* withInspectableStore(engineHarness(() => reply, cachingOptions))
      yield* others.send(1)
      expect(cachedThere.size).toBe(1)
    }))

  it.effect("is not kept when it is fetched behind a stale one", () =>
    Effect.gen(function*() {
      const { send: ask, requests } = yield* engineHarness(
        (request, number) =>
          number === 1 ? numberedPrice(request, 1) : ScriptedClient.json({ usdPrice: 2, tokenName: secret }),
        options
      )
      yield* ask(1)
      yield* TestClock.adjust(6000)
      for (const _ of ["first", "second"]) {
        expect(yield* ask(1)).toMatchObject({ source: "stale", storedAt: 0 })
        yield* runPendingWork
      }
      expect(requests).toHaveLength(3)
    }))

  it.effect("in a header is not kept either where the word is another key of the same address", () =>
    Effect.gen(function*() {
      const [harness, kept] = yield* withInspectableStore(
        engineHarness(() => ScriptedClient.json({ usdPrice: 1 }, 200, { etag: secretOf("two") }), {
          ...cachingOptions,
          apiKey: keysOf("one", "two")
        })
      )
      yield* harness.send(1)
      expect(kept.size).toBe(0)
    }))

  it.effect("too short to be told from any text is kept", () =>
    Effect.gen(function*() {
      const [harness, kept] = yield* withInspectableStore(
        engineHarness(numberedPrice, {
          ...cachingOptions,
          uncacheable: [Redacted.make("usd"), Redacted.make("")]
        })
      )
      yield* harness.send(1)
      expect(kept.size).toBe(1)
    }))
})
