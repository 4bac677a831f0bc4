/** Tests the spans of attempts, and those of their calls. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { addressOf, fetchPrice, minimalOptions, priceReply } from "../../support/PriceCalls.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"
import * as TelemetryRecorder from "../../support/TelemetryRecorder.ts"
import * as TestClients from "../../support/TestClients.ts"

describe("spans", () => {
  const attemptName = "GET /base/api/v2.2/erc20/:address/price"

  /** The spans of attempts that get the responses, with their attributes and whether their status is an error. */
  const attemptsOf = (script: ReadonlyArray<ScriptedClient.ScriptedReply>, baseUrl: string) =>
    Effect.gen(function*() {
      const recorder = TelemetryRecorder.make()
      const retry = TestClients.immediateRetries(script.length)
      const harness = yield* TestClients.harness(script, { ...minimalOptions, baseUrl, retry })
      yield* recorder.record(Effect.ignore(fetchPrice(harness, 1)))
      return recorder.spans.filter(({ kind }) => kind === "client").map(({ attributes, failure, name }) => ({
        name,
        failed: failure !== null,
        ...Object.fromEntries(attributes)
      }))
    })

  it.effect("of attempts have the attributes and the status that OpenTelemetry defines for HTTP clients", () =>
    Effect.gen(function*() {
      const spans = yield* attemptsOf([
        ScriptedClient.respond(503, "", { "x-request-id": "of-the-upstream" }),
        ScriptedClient.Disconnect({ code: "ECONNRESET" }),
        ScriptedClient.respond(404)
      ], "https://upstream.test:8443/base")
      const common = {
        name: attemptName,
        "http.request.method": "GET",
        "server.address": "upstream.test",
        "server.port": 8443,
        "url.full": `https://upstream.test:8443/base/api/v2.2/erc20/${addressOf(1)}/price`,
        "url.template": "/base/api/v2.2/erc20/:address/price"
      }
      expect(spans).toEqual([
        {
          ...common,
          failed: true,
          "error.type": "503",
          "http.response.status_code": 503,
          "http.response.header.x-request-id": ["of-the-upstream"]
        },
        { ...common, failed: true, "error.type": "NetworkError", "http.request.resend_count": 1 },
        {
          ...common,
          failed: true,
          "error.type": "404",
          "http.request.resend_count": 2,
          "http.response.status_code": 404
        }
      ])
      const [leaking] = yield* attemptsOf([
        ScriptedClient.respond(200, "{}", { "x-request-id": "a bearer of secrets" })
      ], "https://upstream.test/base")
      expect(leaking).not.toHaveProperty("http.response.header.x-request-id")
      const [span] = yield* attemptsOf([priceReply], "http://[::1]/base")
      expect(span).toMatchObject({ failed: false, "server.address": "::1", "server.port": 80 })
      expect(span).not.toHaveProperty("error.type")
    }))
})
