/** Tests that a runtime without native functions on bytes, such as a browser, gets the same results. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { vi } from "vitest"

/** Imports modules as a runtime without `node:buffer` does. */
const portable = Effect.acquireRelease(
  Effect.promise(async () => {
    vi.resetModules()
    // As in the edge runtime of Next.js
    const getBuiltinModule = () => {
      throw new Error("not supported")
    }
    vi.stubGlobal("process", { ...process, versions: undefined, getBuiltinModule })
    const { classify } = await import("../../../../src/internal/attempt/Classify.ts")
    const { responseContainsSecret } = await import("../../../../src/gateway/Secrets.ts")
    const { bodyScan } = await import("../../../../src/internal/transport/BodyScan.ts")
    return { classify, responseContainsSecret, bodyScan }
  }),
  // Other tests must not import these modules.
  () => Effect.sync(() => (vi.unstubAllGlobals(), vi.resetModules()))
)

describe("without native functions on bytes", () => {
  it.scoped("raw responses are parsed", () =>
    Effect.gen(function*() {
      const { classify, bodyScan } = yield* portable
      const bytes = new TextEncoder().encode("{\"a\":[1]}")
      expect(bodyScan.isBalanced(bytes)).toBe(false)
      const classifyBytes = (bytes: Uint8Array) =>
        classify(
          { id: "tokenPrice", retry: "always" },
          { method: "GET", path: "/" },
          { status: 200, headers: {}, bytes },
          0,
          { apiKey: Redacted.make("key"), setting: "" },
          bodyScan
        )
      expect(classifyBytes(bytes)).toMatchObject({ _tag: "Complete", isParsed: true })
      expect(classifyBytes(new TextEncoder().encode("{\"a\":}"))).toMatchObject({ _tag: "Malformed" })
      expect(classifyBytes(new Uint8Array([0x5b, 0x22, 0xff, 0x22, 0x5d]))).toMatchObject({
        _tag: "Malformed"
      })
    }))

  it.scoped("secrets are found in the text", () =>
    Effect.gen(function*() {
      const { responseContainsSecret } = yield* portable
      const secrets = [Redacted.make("abcdefgh")]
      const contains = (body: string) =>
        responseContainsSecret({ status: 200, headers: {}, bytes: new TextEncoder().encode(body) }, secrets)
      expect(contains("{\"a\":\"é abcdefgh\"}")).toBe(true)
      expect(contains("{\"a\":\"\\u0061bcdefgh\"}")).toBe(true)
      expect(contains("{\"a\":\"abcdefg\"}")).toBe(false)
    }))
})
