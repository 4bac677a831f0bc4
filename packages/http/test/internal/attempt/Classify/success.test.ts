/** Tests complete documents. The fault matrix tests incomplete and unexpected ones. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { failureOf } from "../../../support/Failures.ts"
import * as ScriptedClient from "../../../support/ScriptedClient.ts"
import * as TestClients from "../../../support/TestClients.ts"

describe("a complete document", () => {
  it.effect("of an unexpected shape fails with the path of the mismatch", () =>
    Effect.gen(function*() {
      const result = [{ owner_address: `0x${"ab".repeat(20)}` }, { owner_address: "0x12" }]
      const harness = yield* TestClients.harness([ScriptedClient.json({ result })])
      const error = yield* failureOf(harness.data.tokenOwners({ token_address: `0x${"ab".repeat(20)}` }))
      expect(error).toMatchObject({ _tag: "InvalidResponseError", path: "result[1].owner_address" })
      expect(error.message).toContain("result[1].owner_address")
      expect(error).toMatchObject({ body: expect.stringContaining("0x12") })
    }))

  it.effect("keeps every digit of an amount", () =>
    Effect.gen(function*() {
      const digits = String(2n ** 256n - 1n)
      const body = `{"result":[{"transaction_hash":"0x${
        "1".repeat(64)
      }","block_number":1,"value":${digits}}]}`
      const harness = yield* TestClients.harness([ScriptedClient.respond(200, body)])
      const page = yield* harness.data.tokenTransfers({ address: `0x${"ab".repeat(20)}` })
      expect(page.result[0]?.value).toBe(2n ** 256n - 1n)
    }))
})
