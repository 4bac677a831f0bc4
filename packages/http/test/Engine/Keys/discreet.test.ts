/** Of several keys none shows anywhere but in the header that carries it; their labels may. */
import { WalkError } from "@blockquarry/core/QueryError"
import { describe, expect, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Clients from "../../support/Clients.ts"
import { keysOf, labelOf, running, secretOf } from "../../support/Engines.ts"
import { failure } from "../../support/Failure.ts"
import { caching, spying } from "../../support/Keeping.ts"
import { bare, price, upTo } from "../../support/Numbered.ts"
import { passing } from "../../support/Passing.ts"
import * as Scripted from "../../support/Scripted.ts"
import * as Witness from "../../support/Witness.ts"

const labels = ["one", "two", "three"]

/** Whatever comes, the key is in it. */
const echoing = (status: number): Scripted.Script => (asked) => {
  const secret = asked.headers["x-api-key"] ?? ""
  return Scripted.json({ message: `the key ${secret} is wrong`, result: secret }, status, {
    etag: `"${secret}"`
  })
}

describe("the keys", () => {
  it.effect("show in no error, log line, span, metric or report", () =>
    Effect.gen(function*() {
      const witness = Witness.make()
      for (const status of [200, 400, 401, 402, 403, 404, 429, 500]) {
        const scene = yield* running(echoing(status), { ...bare, apiKey: keysOf(...labels) })
        const clients = yield* Clients.scene(echoing(status), { ...bare, apiKey: keysOf(...labels) })
        const exits = yield* witness.of(
          Effect.forEach(upTo(4), (number) => Effect.exit(passing(price(clients, number))))
        )
        const served = yield* witness.of(Effect.exit(passing(scene.ask(1))))
        const report = yield* scene.engine.report
        const shown = [
          ...exits.flatMap((exit) => [
            Witness.seen(exit),
            ...Exit.isSuccess(exit) ? [] : [
              Cause.pretty(exit.cause, { renderErrorCause: true }),
              ...[...Cause.failures(exit.cause)].map((error) =>
                `${error.message} ${JSON.stringify(Schema.encodeSync(WalkError)(error))}`
              )
            ]
          ]),
          ...Exit.isSuccess(served)
            ? [
              // What a whole answer says is for its caller.
              status === 200 ? "" : Witness.seen(served.value.verdict()),
              Witness.seen(served.value.answer.headers)
            ]
            : [Witness.seen(served)],
          Witness.seen(report),
          JSON.stringify(report),
          Witness.seen(scene.target),
          JSON.stringify(scene.target)
        ]
        for (const text of shown) {
          for (const label of labels) expect(text).not.toContain(secretOf(label))
        }
      }
      const lines = witness.logs.map(({ structure, text }) => `${text} ${Witness.seen(structure)}`).join("\n")
      const seen = `${lines} ${Witness.seen(witness.spans)} ${Witness.seen(yield* Metric.snapshot)}`
      for (const label of labels) expect(seen).not.toContain(secretOf(label))
      // People can tell the keys apart all the same.
      for (const label of labels) expect(lines).toMatch(new RegExp(`key=${label}\\b`))
      expect(lines).toContain("key rests")
    }))

  it.effect("show in nothing that is kept: an answer that repeats any of them is nobody else's", () =>
    Effect.gen(function*() {
      const document = (secret: string) => ({ usdPrice: 1, tokenName: secret })
      for (const label of labels) {
        const [scene, kept] = yield* spying(
          Clients.scene(() => Scripted.json(document(secretOf(label))), {
            ...caching,
            apiKey: keysOf(...labels)
          })
        )
        yield* price(scene, 1)
        expect(kept.size).toBe(0)
      }
      const [scene, kept] = yield* spying(
        Clients.scene(() => Scripted.json(document(secretOf("other"))), {
          ...caching,
          apiKey: keysOf(...labels)
        })
      )
      yield* price(scene, 1)
      expect([...kept.keys()].join()).not.toMatch(/CANARY/)
      expect(kept.size).toBe(1)
    }))

  it.effect("are sent each in its own requests", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene(echoing(401), { ...bare, apiKey: keysOf(...labels) })
      yield* Effect.ignore(price(scene, 1))
      expect(scene.asked.map(labelOf)).toEqual(labels)
    }))
})

describe("a list of keys", () => {
  it.effect("that is empty is no key", () =>
    Effect.gen(function*() {
      const scene = yield* Clients.scene([], { ...bare, apiKey: [] })
      expect(yield* failure(price(scene, 1))).toMatchObject({ _tag: "KeyRefused", status: null })
    }))

  it.effect.each(["", "secret\n", "secret€"])(
    "with one that cannot be sent is refused, and the message names its label alone: %j",
    (wrong) =>
      Effect.gen(function*() {
        const apiKey = [...keysOf("a"), { label: "the second", key: Redacted.make(wrong) }]
        const scene = yield* Clients.scene([], { ...bare, apiKey })
        const error = yield* failure(price(scene, 1))
        expect(error).toMatchObject({ _tag: "InvalidRequest", issues: [{ parameter: "QUARRY_API_KEY" }] })
        expect(error.message).toContain("\"the second\"")
        expect(error.message).not.toContain("secret")
      })
  )
})
