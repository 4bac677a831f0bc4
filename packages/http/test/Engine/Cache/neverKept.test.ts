/** Secrets besides the key that no kept answer may say. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { keysOf, running, secretOf } from "../../support/Engines.ts"
import { caching, counted, spying } from "../../support/Keeping.ts"
import { settled } from "../../support/Passing.ts"
import * as Scripted from "../../support/Scripted.ts"

const secret = "a+word/of \"another\" address"

const options = { ...caching, neverKept: [Redacted.make(secret)] }

const inJson = JSON.stringify(secret)

const saying: ReadonlyArray<readonly [string, Scripted.Reply]> = [
  ["in its body", Scripted.answer(200, `{"usdPrice":1,"tokenName":${inJson}}`)],
  [
    "in its body, escaped",
    Scripted.answer(200, `{"usdPrice":1,"tokenName":${inJson.replace("a+", "\\u0061+").replace("/", "\\/")}}`)
  ],
  ["in a header", Scripted.json({ usdPrice: 1 }, 200, { etag: secret })],
  ["in a failure that is kept otherwise", Scripted.json({ message: secret }, 404)]
]

describe("an answer that says a word that is never kept", () => {
  it.effect.each(saying)("%s is given, and not kept", ([, reply]) =>
    Effect.gen(function*() {
      const [scene, kept] = yield* spying(running(() => reply, options))
      expect(yield* scene.ask(1)).toMatchObject({ source: "service", answer: { status: expect.any(Number) } })
      yield* settled
      expect(kept.size).toBe(0)
      const [others, keptThere] = yield* spying(running(() => reply, caching))
      yield* others.ask(1)
      expect(keptThere.size).toBe(1)
    }))

  it.effect("is not kept when it is fetched behind a stale one", () =>
    Effect.gen(function*() {
      const { ask, asked } = yield* running(
        (request, number) =>
          number === 1 ? counted(request, 1) : Scripted.json({ usdPrice: 2, tokenName: secret }),
        options
      )
      yield* ask(1)
      yield* TestClock.adjust(6000)
      for (const _ of ["first", "second"]) {
        expect(yield* ask(1)).toMatchObject({ source: "stale", storedAt: 0 })
        yield* settled
      }
      expect(asked).toHaveLength(3)
    }))

  it.effect("in a header is not kept either where the word is another key of the same address", () =>
    Effect.gen(function*() {
      const [scene, kept] = yield* spying(
        running(() => Scripted.json({ usdPrice: 1 }, 200, { etag: secretOf("two") }), {
          ...caching,
          apiKey: keysOf("one", "two")
        })
      )
      yield* scene.ask(1)
      expect(kept.size).toBe(0)
    }))

  it.effect("too short to be told from any text is kept", () =>
    Effect.gen(function*() {
      const [scene, kept] = yield* spying(
        running(counted, { ...caching, neverKept: [Redacted.make("usd"), Redacted.make("")] })
      )
      yield* scene.ask(1)
      expect(kept.size).toBe(1)
    }))
})
