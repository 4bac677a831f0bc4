/** Tests the spans, log lines and metrics of calls. */
import { pathPrefix } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import * as Telemetry from "@blockquarry/http/Telemetry"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { examples } from "./support/Examples.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as TelemetryRecorder from "./support/TelemetryRecorder.ts"
import * as TestClients from "./support/TestClients.ts"
import { whileTimePasses } from "./support/TestTime.ts"

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
})
