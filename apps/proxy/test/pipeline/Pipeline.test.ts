/** Sends requests of every operation through the HTTP server and compares the responses with the upstream's. */
import { allOperations } from "@blockquarry/core/Operations"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { examples, ledger, sendRequest, start } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"

const sampleOf = (id: string) => {
  const sample = sampleRequests[id]
  if (sample === undefined) throw new Error(`no sample request for ${id}`)
  return sample
}

describe("every operation", () => {
  for (const operation of allOperations) {
    it.scopedLive(`${operation.id} returns the upstream's response byte for byte`, () =>
      Effect.gen(function*() {
        const { body, path } = sampleOf(operation.id)
        const twin = yield* Sandbox.make({ ledger })
        const expected = yield* twin.handle({
          method: operation.method,
          url: path,
          headers: { "x-api-key": Sandbox.apiKey },
          body: body ?? ""
        })
        const { port, sandbox } = yield* start()
        const response = yield* sendRequest(port, path, {
          method: operation.method,
          ...(body === undefined ? {} : { body })
        })
        expect(response.status).toBe(200)
        expect(response.bytes.equals(Buffer.from(expected.body))).toBe(true)
        expect(response.headers["content-type"]).toBe(expected.headers["content-type"])
        expect(response.headers["content-length"]).toBe(String(response.bytes.byteLength))
        expect((yield* sandbox.recordedRequests).map((seen) => seen.operation)).toEqual([operation.id])
      }))
  }

  it.scopedLive("returns the next page for the cursor of a page", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      const path = `/api/v2.2/erc20/${examples.busyToken}/transfers?chain=0x1&limit=50`
      const first = JSON.parse((yield* sendRequest(port, path)).text)
      const second = JSON.parse(
        (yield* sendRequest(port, `${path}&cursor=${encodeURIComponent(first.cursor)}`)).text
      )
      expect(first.result).toHaveLength(50)
      expect(second.result).toHaveLength(50)
      expect(second.result[0]).not.toEqual(first.result[0])
    }))
})
