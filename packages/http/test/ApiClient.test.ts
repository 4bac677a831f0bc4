/** Tests the clients, which are derived from the operations: this covers the one type assertion in `ApiClient.ts`. */
import { isList } from "@blockquarry/core/Operation"
import {
  allOperations,
  dataOperations,
  ledgerOperations,
  streamsOperations
} from "@blockquarry/core/Operations"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { examples } from "./support/Examples.ts"
import * as ScriptedClient from "./support/ScriptedClient.ts"
import * as TestClients from "./support/TestClients.ts"

describe("the clients", () => {
  it.effect("have a function for each operation, with pages and items if it is a list, and one for other requests", () =>
    Effect.gen(function*() {
      const { data, ledger, ledgerTestnet, streams } = yield* TestClients.harness([])
      const apis = [
        [data, dataOperations],
        [streams, streamsOperations],
        [ledger, ledgerOperations],
        [ledgerTestnet, ledgerOperations]
      ] as const
      for (const [client, operations] of apis) {
        const functions: ReadonlyArray<readonly [string, object]> = Object.entries(client)
        expect(functions.map(([name, call]) => [name, typeof call, Object.keys(call)])).toEqual(
          [
            ...Object.entries(operations).map(([name, operation]) => [
              name,
              "function",
              isList(operation) ? ["pages", "items"] : []
            ]),
            ["request", "function", ["pages", "items"]]
          ]
        )
      }
      expect(examples.map(({ id }) => id).toSorted()).toEqual(allOperations.map(({ id }) => id).toSorted())
    }))

  it.effect.each(examples)(
    "return the output of $id from its own request",
    ({ call, document, id }) =>
      Effect.gen(function*() {
        const harness = yield* TestClients.harness([ScriptedClient.json(document)])
        const output = yield* call(harness)
        expect(Object.keys(Object(output))).toEqual(expect.arrayContaining(Object.keys(Object(document))))
        const method = allOperations.find((operation) => operation.id === id)?.method
        expect(harness.requests.map((requests) => requests.method)).toEqual([method])
      })
  )
})
