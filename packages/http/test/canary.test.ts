/** Tests that the API key appears only in its request header, with any response and in any output. */
import { ListOperationError } from "@blockquarry/core/OperationError"
import { describe, expect, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { sample } from "../../core/test/support/sample.ts"
import { address, type Example, examples, hash } from "./support/Examples.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as TelemetryRecorder from "./support/TelemetryRecorder.ts"
import * as TestClients from "./support/TestClients.ts"
import { whileTimePasses } from "./support/TestTime.ts"
import * as TransferService from "./support/TransferService.ts"

const { key } = TestClients

/** Response headers that contain the API key. */
const echo = {
  "x-api-key": key,
  "x-request-id": `for ${key}`,
  "www-authenticate": `Key ${key}`,
  "set-cookie": `key=${key}`,
  "location": `https://elsewhere.test/?key=${key}`,
  "x-ratelimit-key": key,
  "etag": `"${key}"`
}

const bodies: ReadonlyArray<string> = [
  JSON.stringify({ message: `the key ${key} is wrong` }),
  JSON.stringify({ message: [`key ${key}`, key], key }),
  JSON.stringify({ error: { message: key } }),
  `${"x".repeat(290)}${key}`,
  JSON.stringify({ message: `${"x".repeat(295)}${key}` }),
  `<html>${" ".repeat(7990)}${key}</html>`,
  `<html>${"é".repeat(490)}${key}${key}</html>`,
  key
]

/** Documents of status 200 that contain the API key in unexpected places. */
const documents: ReadonlyArray<unknown> = [
  key,
  [key],
  {
    message: key,
    result: key,
    address: key,
    active_chains: key,
    hash: key,
    id: 1,
    usdPrice: key,
    token_id: key
  },
  {
    result: [{ owner_address: key, transaction_hash: key, token_address: key, block_number: key }],
    cursor: [key]
  },
  { address, active_chains: [{ chain: { [key]: key } }], hash, [key]: key, id: "s", status: { [key]: 1 } },
  { result: [{ [key]: key }], page: key, total: key },
  { [key]: key }
]

/** Creates the replies for an operation. Over all operations every status occurs with every body. */
const replies = (offset: number): ReadonlyArray<ScriptedClient.ScriptedReply> => [
  ...[201, 302, 400, 401, 402, 403, 404, 408, 410, 422, 424, 429, 500, 503].map((status, index) =>
    ScriptedClient.respond(status, bodies[(index + offset) % bodies.length], echo)
  ),
  ...bodies.map((body) => ScriptedClient.respond(200, body, echo)),
  ...documents.map((document) => ScriptedClient.json(document, 200, echo)),
  ScriptedClient.respond(429, "{}", { "retry-after": key }),
  ScriptedClient.respond(200, ScriptedClient.brokenBody(key, "ECONNRESET")),
  ScriptedClient.respond(200, ScriptedClient.endlessBody(key)),
  ScriptedClient.respond(200, "7".repeat(20_000)),
  ScriptedClient.respond(200, key, { "content-encoding": "gzip" }),
  ScriptedClient.Disconnect({ code: "ECONNREFUSED" }),
  ScriptedClient.Disconnect({ code: "ECONNRESET" }),
  ScriptedClient.Disconnect({ code: `cannot send ${key}` }),
  ScriptedClient.Hang()
]

/** Returns the texts in which an exit is shown or exported. */
const rendered = (exit: Exit.Exit<unknown, Error>): ReadonlyArray<string> => {
  if (Exit.isSuccess(exit)) {
    return [
      TelemetryRecorder.inspectDeep(exit.value),
      JSON.stringify(exit, (_, value: unknown) => String(value))
    ]
  }
  const errors = [...Cause.failures(exit.cause)]
  return [
    Cause.pretty(exit.cause, { renderErrorCause: true }),
    TelemetryRecorder.inspectDeep(exit.cause),
    JSON.stringify(exit.cause),
    ...errors.flatMap((error) => [
      error.message,
      String(error),
      String(error.stack),
      JSON.stringify(error),
      TelemetryRecorder.inspectDeep(error),
      Schema.is(ListOperationError)(error) ? JSON.stringify(Schema.encodeSync(ListOperationError)(error)) : ""
    ])
  ]
}

/** A request whose output has members of any name, also that of the key. */
const request: Example = {
  id: "request",
  method: "GET",
  call: ({ data }) =>
    data.request({
      path: "/fresh",
      query: { source: "test" },
      output: Schema.Record({ key: Schema.String, value: Schema.Number })
    }),
  document: { id: 1 }
}

const options: TestClients.HarnessOptions = { retry: TestClients.immediateRetries(2), maxBodySize: 10_000 }

describe("the API key", () => {
  it.effect.each([...sample(examples, 6), request])(
    "appears in no output of $id",
    (example) =>
      Effect.gen(function*() {
        const recorder = TelemetryRecorder.make()
        const tags = new Set<string>()
        const all = replies(examples.indexOf(example))
        for (const reply of [ScriptedClient.json(example.document, 200, echo), ...all]) {
          const once = reply._tag === "Respond" && reply.body instanceof ReadableStream
          const harness = yield* TestClients.harness(
            (_, number) => once && number > 1 ? ScriptedClient.respond(502, key) : reply,
            options
          )
          const exit = yield* recorder.record(Effect.exit(whileTimePasses(example.call(harness))))
          if (Exit.isFailure(exit)) {
            expect(Cause.isFailure(exit.cause)).toBe(true)
            for (const error of Cause.failures(exit.cause)) tags.add(error._tag)
          }
          for (const text of rendered(exit)) expect(text).not.toContain(key)
          expect(TelemetryRecorder.inspectDeep([harness.data, harness.streams, harness.ledger])).not
            .toContain(
              key
            )
          for (const { body, headers, url } of harness.requests) {
            const { "x-api-key": apiKeyHeader, ...others } = headers
            expect(apiKeyHeader).toBe(key)
            expect(`${url.href} ${body} ${JSON.stringify(others)}`).not.toContain(key)
          }
        }
        expect(tags.size).toBe(10)
        expect(recorder.logs.length).toBeGreaterThan(all.length)
        expect(recorder.spans.length).toBeGreaterThan(all.length)
        for (const { structure, text } of recorder.logs) {
          expect(`${text} ${TelemetryRecorder.inspectDeep(structure)}`).not.toContain(key)
        }
        for (const span of recorder.spans) expect(TelemetryRecorder.inspectDeep(span)).not.toContain(key)
        expect(TelemetryRecorder.inspectDeep(yield* Metric.snapshot)).not.toContain(key)
      })
  )

  it.effect("appears in no page and no cursor", () =>
    Effect.gen(function*() {
      const recorder = TelemetryRecorder.make()
      const transfers = [1, 2, 2, 3, 4, 5].map((block, id) => ({ block, id, log: id }))
      const harness = yield* TestClients.harness(TransferService.service({ transfers, size: 3 }))
      const pages = yield* recorder.record(Stream.runCollect(harness.data.walletTransfers.pages({ address })))
      for (const page of pages) {
        expect(TelemetryRecorder.inspectDeep(page)).not.toContain(key)
        const payload = page.cursor?.slice("quarry-resume-1.".length) ?? ""
        expect(Buffer.from(payload, "base64url").toString()).not.toContain(key)
      }
      const damaged = yield* Effect.exit(
        Stream.runDrain(harness.data.walletTransfers.items({ address }, { cursor: "quarry-resume-1.x" }))
      )
      for (const text of rendered(damaged)) expect(text).not.toContain(key)
    }))
})
