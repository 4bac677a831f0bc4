/** Tests the spans, log lines and metrics of calls. */
import { pathPrefix } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import * as Telemetry from "@blockquarry/http/Telemetry"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { address, examples, tokenPrice } from "./support/Examples.ts"
import { increaseOf } from "./support/MetricReader.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as TelemetryRecorder from "./support/TelemetryRecorder.ts"
import * as TestClients from "./support/TestClients.ts"
import { whileTimePasses } from "./support/TestTime.ts"

const fine = ScriptedClient.json(tokenPrice.document)

/** Fetches a price and records its telemetry. */
const observed = (script: ScriptedClient.Script, options?: TestClients.HarnessOptions) =>
  Effect.gen(function*() {
    const recorder = TelemetryRecorder.make()
    const harness = yield* TestClients.harness(script, options)
    const exit = yield* recorder.record(
      Effect.exit(whileTimePasses(tokenPrice.call(harness).pipe(Effect.withSpan("program"))))
    )
    return { ...recorder, exit }
  })

describe("spans", () => {
  it.effect.each(examples)(
    "of $id are named after the operation, and contain one span per attempt",
    ({ call, document, id, method }) =>
      Effect.gen(function*() {
        const recorder = TelemetryRecorder.make()
        const harness = yield* TestClients.harness([
          ScriptedClient.respond(429),
          ScriptedClient.json(document)
        ])
        yield* recorder.record(whileTimePasses(call(harness)))
        const attempts = allOperations.filter((operation) => operation.id === id).map(({ api, path }) => [
          Telemetry.attemptSpan(method, pathPrefix[api] + path),
          `quarry.${id}`,
          "client"
        ])
        expect(recorder.spans.map(({ kind, name, parent }) => [name, parent, kind])).toEqual([
          [`quarry.${id}`, null, "internal"],
          ...attempts,
          ...attempts
        ])
        const [callSpan] = recorder.spans
        expect(callSpan?.attributes.get("http.request.method")).toBe(method)
        expect(callSpan?.attributes.get("url.path")).toBe(
          harness.requests[0]?.url.pathname.replace("/api/v2.2", "")
        )
      })
  )

  it.effect("are children of the program's span, and end with the result of the call", () =>
    Effect.gen(function*() {
      const { spans } = yield* observed([ScriptedClient.respond(404)])
      expect(spans.map(({ name, parent }) => [name, parent])).toEqual([
        ["program", null],
        ["quarry.tokenPrice", "program"],
        ["GET /api/v2.2/erc20/:address/price", "quarry.tokenPrice"]
      ])
      expect(spans.map(({ failure }) => failure === null)).toEqual([false, false, false])
    }))
})

describe("logs", () => {
  it.effect("contain the number, result and operation of each attempt", () =>
    Effect.gen(function*() {
      const { logs } = yield* observed([
        ScriptedClient.respond(500),
        ScriptedClient.Disconnect({ code: "ECONNRESET" }),
        fine
      ])
      const url = `https://data.test/api/v2.2/erc20/${address}/price`
      const started = {
        logLevel: "DEBUG",
        message: "attempt started",
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
        started,
        ended(1, "500 ServerError"),
        started,
        ended(2, "NetworkError: connection to data.test failed: connection reset (ECONNRESET)"),
        started,
        ended(3, "200")
      ])
    }))
})

describe("metrics", () => {
  const outcomes: ReadonlyArray<readonly [outcome: string, reply: ScriptedClient.ScriptedReply]> = [
    ["ok", fine],
    ["RequestRejectedError", ScriptedClient.respond(400)],
    ["NotFoundError", ScriptedClient.respond(404)],
    ["AuthenticationError", ScriptedClient.respond(401)],
    ["PermissionDeniedError", ScriptedClient.respond(403)],
    ["PlanQuotaExceededError", ScriptedClient.respond(402)],
    ["RateLimitError", ScriptedClient.respond(429)],
    ["ServerError", ScriptedClient.respond(500)],
    ["InvalidResponseError", ScriptedClient.json({})],
    ["InvalidResponseError", ScriptedClient.respond(200, "<html>")],
    ["NetworkError", ScriptedClient.Disconnect({ code: "ECONNRESET" })],
    ["TimeoutError", ScriptedClient.Hang()]
  ]

  it.effect.each(outcomes)(
    "count a call that ends with %s once, however many attempts it takes",
    ([outcome, reply]) =>
      Effect.gen(function*() {
        const labels = { operation: "tokenPrice", outcome }
        expect(yield* increaseOf(Telemetry.calls, labels, observed(() => reply))).toBe(1)
      })
  )

  it.effect("count attempts by status, and those without a response as none", () =>
    Effect.gen(function*() {
      const script = [
        ScriptedClient.respond(503),
        ScriptedClient.Disconnect({ code: "ECONNRESET" }),
        ScriptedClient.respond(503),
        fine
      ]
      const operation = "tokenPrice"
      const count = (status: string) =>
        increaseOf(Telemetry.attempts, { operation, status }, observed(script))
      expect(yield* count("503")).toBe(2)
      expect(yield* count("none")).toBe(1)
      expect(yield* count("200")).toBe(1)
    }))

  it.effect("count the bytes of response bodies", () =>
    Effect.gen(function*() {
      const body = JSON.stringify(tokenPrice.document)
      const script = [ScriptedClient.respond(500, "12345"), ScriptedClient.respond(200, body)]
      expect(yield* increaseOf(Telemetry.responseBytes, { operation: "tokenPrice" }, observed(script))).toBe(
        5 + body.length
      )
    }))

  it.effect("measure the duration of a call including waits", () =>
    Effect.gen(function*() {
      const seconds = Metric.tagged(Telemetry.callDuration, "operation", "tokenPrice")
      const before = yield* Metric.value(seconds)
      yield* observed([ScriptedClient.respond(429, "", { "retry-after": "7" }), fine])
      const after = yield* Metric.value(seconds)
      expect(after.count - before.count).toBe(1)
      expect(after.sum - before.sum).toBeCloseTo(7, 1)
    }))
})
