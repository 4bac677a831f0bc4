/** Tests that no API key appears outside its header; labels may. */
import { ListOperationError } from "@blockquarry/core/OperationError"
import { describe, expect, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Schema from "effect/Schema"
import { cachingOptions, withInspectableStore } from "../../../support/CacheFixtures.ts"
import { fetchPrice, indices, minimalOptions } from "../../../support/PriceCalls.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TelemetryRecorder from "../../../support/TelemetryRecorder.ts"
import * as TestClients from "../../../support/TestClients.ts"
import { engineHarness, keysOf, secretOf } from "../../../support/TestEngine.ts"
import { whileTimePasses } from "../../../support/TestTime.ts"

const labels = ["one", "two", "three"]

/** Every reply contains the key. */
const echoingReply = (status: number): ScriptedClient.Script => (requests) => {
  const secret = requests.headers["x-api-key"] ?? ""
  return ScriptedClient.json({ message: `the key ${secret} is wrong`, result: secret }, status, {
    etag: `"${secret}"`
  })
}

describe("API keys", () => {
  it.effect("appear in no error, log line, span, metric or report", () =>
    Effect.gen(function*() {
      const recorder = TelemetryRecorder.make()
      for (const status of [200, 400, 401, 402, 403, 404, 429, 500]) {
        const harness = yield* engineHarness(echoingReply(status), {
          ...minimalOptions,
          apiKey: keysOf(...labels)
        })
        const clients = yield* TestClients.harness(echoingReply(status), {
          ...minimalOptions,
          apiKey: keysOf(...labels)
        })
        const exits = yield* recorder.record(
          Effect.forEach(indices(4), (number) => Effect.exit(whileTimePasses(fetchPrice(clients, number))))
        )
        const served = yield* recorder.record(Effect.exit(whileTimePasses(harness.send(1))))
        const report = yield* harness.engine.health
        const rendered = [
          ...exits.flatMap((exit) => [
            TelemetryRecorder.inspectDeep(exit),
            ...Exit.isSuccess(exit) ? [] : [
              Cause.pretty(exit.cause, { renderErrorCause: true }),
              ...[...Cause.failures(exit.cause)].map((error) =>
                `${error.message} ${JSON.stringify(Schema.encodeSync(ListOperationError)(error))}`
              )
            ]
          ]),
          ...Exit.isSuccess(served)
            ? [
              // A complete response is returned unchanged.
              status === 200 ? "" : TelemetryRecorder.inspectDeep(served.value.classification()),
              TelemetryRecorder.inspectDeep(served.value.response.headers)
            ]
            : [TelemetryRecorder.inspectDeep(served)],
          TelemetryRecorder.inspectDeep(report),
          JSON.stringify(report),
          TelemetryRecorder.inspectDeep(harness.upstream),
          JSON.stringify(harness.upstream)
        ]
        for (const text of rendered) {
          for (const label of labels) expect(text).not.toContain(secretOf(label))
        }
      }
      const lines = recorder.logs.map(({ structure, text }) =>
        `${text} ${TelemetryRecorder.inspectDeep(structure)}`
      ).join("\n")
      const exposed = `${lines} ${TelemetryRecorder.inspectDeep(recorder.spans)} ${
        TelemetryRecorder.inspectDeep(yield* Metric.snapshot)
      }`
      for (const label of labels) expect(exposed).not.toContain(secretOf(label))
      // People can tell the keys apart all the same.
      for (const label of labels) expect(lines).toMatch(new RegExp(`key=${label}\\b`))
      expect(lines).toContain("key cooldown started")
    }))

  it.effect("appear in no cache entry: a response that contains any of them is not cached", () =>
    Effect.gen(function*() {
      const document = (secret: string) => ({ usdPrice: 1, tokenName: secret })
      for (const label of labels) {
        const [harness, entries] = yield* withInspectableStore(
          TestClients.harness(() => ScriptedClient.json(document(secretOf(label))), {
            ...cachingOptions,
            apiKey: keysOf(...labels)
          })
        )
        yield* fetchPrice(harness, 1)
        expect(entries.size).toBe(0)
      }
      const [harness, entries] = yield* withInspectableStore(
        TestClients.harness(() => ScriptedClient.json(document(secretOf("other"))), {
          ...cachingOptions,
          apiKey: keysOf(...labels)
        })
      )
      yield* fetchPrice(harness, 1)
      expect([...entries.keys()].join()).not.toMatch(/CANARY/)
      expect(entries.size).toBe(1)
    }))
})
