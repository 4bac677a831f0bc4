/** Compares the HTTP requests of every operation with golden records, which are the lists of calls: `vitest -u` adds the request of a new one. */
import type { OperationError } from "@blockquarry/core/OperationError"
import { operationIds } from "@blockquarry/core/Operations"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { record } from "../../../core/test/golden/support/record.ts"
import { userAgent } from "../../src/ApiOptions.ts"
import { minimalOptions } from "../support/PriceCalls.ts"
import * as ScriptedClient from "../support/ScriptedClient.ts"
import * as TestClients from "../support/TestClients.ts"

type Calls = Readonly<Record<string, unknown>>

const recorded = (name: string) =>
  JSON.parse(readFileSync(new URL(`records/${name}.json`, import.meta.url), "utf8"))

/** Returns the requests of calls such as `tokenPrice {"address":"0x…"}`, which fail. */
const requests = (options: object, calls: Calls) =>
  Effect.gen(function*() {
    const { data, ledger, ledgerTestnet, requests, streams } = yield* TestClients.harness(
      () => ScriptedClient.respond(500),
      { ...minimalOptions, ...options }
    )
    const testnet = { "ledgerTestnet.ledgerTransaction": ledgerTestnet.ledgerTransaction }
    const functions = { ...data, ...streams, ...ledger, ...testnet }
    const sent: Record<string, unknown> = {}
    for (const call of Object.keys(calls)) {
      const [name = ""] = call.split(" ")
      const failing: Effect.Effect<unknown, OperationError> = Reflect.apply(
        Reflect.get(functions, name),
        undefined,
        [JSON.parse(call.slice(name.length))]
      )
      yield* Effect.flip(failing)
      const [request, ...more] = requests.splice(0)
      expect(more).toEqual([])
      const { "content-length": _, ...headers } = { ...request?.headers }
      expect(headers).toEqual({
        "accept": "application/json",
        "user-agent": userAgent,
        "x-api-key": TestClients.key,
        ...request?.body === null ? {} : { "content-type": "application/json" }
      })
      const body = request?.body === null ? "" : ` ${request?.body}`
      sent[call] = `${request?.method} ${request?.url.href}${body}`
    }
    return sent
  })

it.effect("the requests of every operation match the golden record", () =>
  Effect.gen(function*() {
    const calls: Calls = recorded("wire")
    const names = Object.keys(calls).map((call) => call.replace(/^ledgerTestnet\.| .*/g, ""))
    expect(new Set(names)).toEqual(new Set(operationIds))
    const sent = yield* requests({}, calls)
    yield* Effect.promise(() => record("wire", sent))
  }))

it.effect.each([["wire.arrays", "arrayFormat"], ["wire.baseUrls", "baseUrl"]] as const)(
  "the requests with each option of %s match the golden record",
  ([name, option]) =>
    Effect.gen(function*() {
      const records: Readonly<Record<string, Calls>> = recorded(name)
      const sent: Record<string, unknown> = {}
      for (const [value, calls] of Object.entries(records)) {
        sent[value] = yield* requests({ [option]: value }, calls)
      }
      yield* Effect.promise(() => record(name, sent))
    })
)
