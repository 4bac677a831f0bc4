/** What a collector receives, as the standard variables configure it. The record `spans.json` shows the spans. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { expect, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Otlp from "../../src/observability/Otlp.ts"
import * as OtlpCollector from "../support/OtlpCollector.ts"
import { sendRequest, start } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"

const environment = (variables: Record<string, string>) =>
  Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables))))

it.scopedLive("a collector receives spans and metrics with headers and attributes, without API keys", () =>
  Effect.gen(function*() {
    const { received, url } = yield* OtlpCollector.make
    const sent = Effect.gen(function*() {
      const { port } = yield* start({ tracingEnabled: true })
      const headers = { "x-api-key": "canary-of-the-client" }
      yield* sendRequest(port, sampleRequests["tokenPrice"]?.path ?? "", { headers })
    })
    const variables = environment({
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=a%20b,x-broken=%",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test"
    })
    yield* Effect.scoped(sent).pipe(Effect.provide(Layer.provide(Otlp.layer("1.2.3"), variables)))
    expect([...new Set(received.map(({ path }) => path))].sort()).toEqual(["/v1/metrics", "/v1/traces"])
    for (const { headers } of received) expect(headers).toMatchObject({ "x-tenant": "a b", "x-broken": "%" })
    const text = received.map(({ body }) => body).join("\n")
    for (const part of ["1.2.3", "deployment.environment", "quarry-proxy.request"]) {
      expect(text).toContain(part)
    }
    for (const secret of [Sandbox.apiKey, "canary-of-the-client"]) expect(text).not.toContain(secret)
  }))

it.effect.each([[undefined, false], ["", false], ["http://a", true]] as const)(
  "the endpoint %s configures a collector: %s",
  ([endpoint, isConfigured]) =>
    Effect.gen(function*() {
      const variables = endpoint === undefined ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }
      expect(yield* Effect.provide(Otlp.isConfigured, environment(variables))).toBe(isConfigured)
    })
)
