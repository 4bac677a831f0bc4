/** What is measured: spans by operation, calls by outcome, attempts by status. */
import * as Telemetry from "@blockquarry/http/Telemetry"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Clients from "./support/Clients.ts"
import { address, examples, tokenPrice } from "./support/Examples.ts"
import { rise } from "./support/Metrics.ts"
import { passing } from "./support/Passing.ts"
import * as Scripted from "./support/Scripted.ts"
import * as Witness from "./support/Witness.ts"

const fine = Scripted.json(tokenPrice.document)

/** Asks for a price under a witness. */
const observed = (script: Scripted.Script, options?: Clients.SceneOptions) =>
  Effect.gen(function*() {
    const witness = Witness.make()
    const scene = yield* Clients.scene(script, options)
    const exit = yield* witness.of(
      Effect.exit(passing(tokenPrice.ask(scene).pipe(Effect.withSpan("program"))))
    )
    return { ...witness, exit }
  })

describe("spans", () => {
  it.effect.each(examples)(
    "of $id are named after it, and hold one for each attempt",
    ({ ask, document, id, method }) =>
      Effect.gen(function*() {
        const witness = Witness.make()
        const scene = yield* Clients.scene([Scripted.answer(429), Scripted.json(document)])
        yield* witness.of(passing(ask(scene)))
        expect(witness.spans.map(({ kind, name, parent }) => [name, parent, kind])).toEqual([
          [`quarry.${id}`, null, "internal"],
          ["quarry.attempt", `quarry.${id}`, "client"],
          ["quarry.attempt", `quarry.${id}`, "client"]
        ])
        const [call] = witness.spans
        expect(call?.attributes.get("http.request.method")).toBe(method)
        expect(call?.attributes.get("url.path")).toBe(scene.asked[0]?.url.pathname.replace("/api/v2.2", ""))
      })
  )

  it.effect("stand in the program's own, and end as the call does", () =>
    Effect.gen(function*() {
      const { spans } = yield* observed([Scripted.answer(404)])
      expect(spans.map(({ name, parent }) => [name, parent])).toEqual([
        ["program", null],
        ["quarry.tokenPrice", "program"],
        ["quarry.attempt", "quarry.tokenPrice"]
      ])
      expect(spans.map(({ failure }) => failure === null)).toEqual([false, false, true])
    }))
})

describe("logs", () => {
  it.effect("tell of each attempt: its number, what came of it, and the operation", () =>
    Effect.gen(function*() {
      const { logs } = yield* observed([Scripted.answer(500), Scripted.Fault({ code: "ECONNRESET" }), fine])
      const url = `https://data.test/api/v2.2/erc20/${address}/price`
      const begins = {
        logLevel: "DEBUG",
        message: "attempt begins",
        annotations: { operation: "tokenPrice", url }
      }
      const ended = (attempt: number, outcome: string) => ({
        logLevel: "DEBUG",
        message: expect.stringContaining("attempt ended"),
        annotations: {
          attempt,
          outcome,
          operation: "tokenPrice",
          method: "GET",
          path: `/erc20/${address}/price`
        }
      })
      expect(logs.map(({ structure }) => structure)).toMatchObject([
        begins,
        ended(1, "500 ServiceFailed"),
        begins,
        ended(2, "Unreachable: ECONNRESET"),
        begins,
        ended(3, "200")
      ])
    }))
})

describe("metrics", () => {
  const outcomes: ReadonlyArray<readonly [outcome: string, reply: Scripted.Reply]> = [
    ["ok", fine],
    ["BadRequest", Scripted.answer(400)],
    ["NotFound", Scripted.answer(404)],
    ["KeyRefused", Scripted.answer(401)],
    ["PlanExhausted", Scripted.answer(402)],
    ["RateLimited", Scripted.answer(429)],
    ["ServiceFailed", Scripted.answer(500)],
    ["ResponseInvalid", Scripted.json({})],
    ["ResponseInvalid", Scripted.answer(200, "<html>")],
    ["Unreachable", Scripted.Fault({ code: "ECONNRESET" })],
    ["TimedOut", Scripted.Hang()]
  ]

  it.effect.each(outcomes)(
    "count a call that ends in %s, once however many attempts it takes",
    ([outcome, reply]) =>
      Effect.gen(function*() {
        const labels = { operation: "tokenPrice", outcome }
        expect(yield* rise(Telemetry.calls, labels, observed(() => reply))).toBe(1)
      })
  )

  it.effect("count a call whose settings are missing", () =>
    Effect.gen(function*() {
      const labels = { operation: "tokenPrice", outcome: "InvalidRequest" }
      expect(yield* rise(Telemetry.calls, labels, observed([], { baseUrl: undefined }))).toBe(1)
    }))

  it.effect("count attempts by status, and those without an answer", () =>
    Effect.gen(function*() {
      const script = [
        Scripted.answer(503),
        Scripted.Fault({ code: "ECONNRESET" }),
        Scripted.answer(503),
        fine
      ]
      const operation = "tokenPrice"
      const count = (status: string) => rise(Telemetry.attempts, { operation, status }, observed(script))
      expect(yield* count("503")).toBe(2)
      expect(yield* count("none")).toBe(1)
      expect(yield* count("200")).toBe(1)
    }))

  it.effect("count the bytes of bodies", () =>
    Effect.gen(function*() {
      const body = JSON.stringify(tokenPrice.document)
      const script = [Scripted.answer(500, "12345"), Scripted.answer(200, body)]
      expect(yield* rise(Telemetry.bytesRead, { operation: "tokenPrice" }, observed(script))).toBe(
        5 + body.length
      )
    }))

  it.effect("measure how long a call took, its waits included", () =>
    Effect.gen(function*() {
      const seconds = Metric.tagged(Telemetry.callSeconds, "operation", "tokenPrice")
      const before = yield* Metric.value(seconds)
      yield* observed([Scripted.answer(429, "", { "retry-after": "7" }), fine])
      const after = yield* Metric.value(seconds)
      expect(after.count - before.count).toBe(1)
      expect(after.sum - before.sum).toBeCloseTo(7, 1)
    }))
})
