/** Spans, metrics and log lines are exported to the configured collector, without API keys. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Http from "node:http"
import * as Otlp from "../../src/observability/Otlp.ts"
import { sendRequest, start } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"

interface Received {
  readonly path: string
  readonly headers: Http.IncomingHttpHeaders
  readonly body: string
}

const collector = Effect.acquireRelease(
  Effect.async<{ readonly url: string; readonly received: Array<Received>; readonly server: Http.Server }>(
    (resume) => {
      const received: Array<Received> = []
      const server = Http.createServer((request, response) => {
        let body = ""
        request.on("data", (piece: Buffer) => {
          body += piece.toString()
        })
        request.on("end", () => {
          received.push({ path: request.url ?? "", headers: request.headers, body })
          response.end("{}")
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, received, server }))
      })
    }
  ),
  ({ server }) => Effect.sync(() => server.close())
)

const environment = (variables: Record<string, string>) =>
  Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables))))

describe("a collector", () => {
  it.scopedLive("receives spans, metrics and logs in the client's trace, without API keys", () =>
    Effect.gen(function*() {
      const { received, url } = yield* collector
      const trace = "0af7651916cd43dd8448eb211c80319c"
      yield* Effect.scoped(Effect.gen(function*() {
        const { port } = yield* start({ tracingEnabled: true })
        const headers = {
          traceparent: `00-${trace}-b7ad6b7169203331-01`,
          "x-api-key": "canary-of-the-client"
        }
        yield* sendRequest(port, sampleRequests["tokenPrice"]?.path ?? "", { headers })
      })).pipe(
        Effect.provide(Layer.provide(
          Otlp.layer("1.2.3"),
          environment({
            OTEL_EXPORTER_OTLP_ENDPOINT: url,
            OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=a%20b",
            OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test"
          })
        ))
      )
      expect([...new Set(received.map(({ path }) => path))].sort()).toEqual(["/v1/metrics", "/v1/traces"])
      for (const { headers } of received) expect(headers["x-tenant"]).toBe("a b")
      const text = received.map(({ body }) => body).join("\n")
      for (
        const expected of [
          "quarry-proxy",
          "1.2.3",
          "deployment.environment",
          "quarry-proxy.request",
          "quarry.tokenPrice",
          "GET /api/v2.2/erc20/:address/price",
          trace
        ]
      ) {
        expect(text).toContain(expected)
      }
      for (const secret of [Sandbox.apiKey, "canary-of-the-client"]) {
        expect(text).not.toContain(secret)
      }
    }))

  it.effect("is used if the environment names it", () =>
    Effect.gen(function*() {
      expect(yield* Otlp.isConfigured.pipe(Effect.provide(environment({})))).toBe(false)
      expect(yield* Otlp.isConfigured.pipe(Effect.provide(environment({ OTEL_EXPORTER_OTLP_ENDPOINT: "" }))))
        .toBe(
          false
        )
      expect(
        yield* Otlp.isConfigured.pipe(
          Effect.provide(environment({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://a" }))
        )
      ).toBe(true)
    }))
})
