/** Which encoding a client wants, and what it gets. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Zlib from "node:zlib"
import * as ContentEncoding from "../../src/response/ContentEncoding.ts"

/** What this Node likes best of what a client takes. */
const best = "zstdCompress" in Zlib ? "zstd" : "br"

describe("the encoding that is chosen", () => {
  it("is the one that is liked best, the smallest where several are liked alike", () => {
    expect([
      undefined,
      "",
      "identity",
      "gzip",
      "x-gzip",
      "gzip, br",
      "gzip;q=1, br;q=0.5",
      "gzip;q=0, br",
      "*",
      "*;q=0",
      "deflate",
      "GZIP",
      "gzip;q=0.3, identity;q=0.8",
      "gzip;q=nonsense",
      "identity;q=0, gzip;q=0.1"
    ].map(ContentEncoding.chooseEncoding)).toEqual([
      undefined,
      undefined,
      undefined,
      "gzip",
      "gzip",
      "br",
      "gzip",
      "br",
      best,
      undefined,
      undefined,
      "gzip",
      undefined,
      undefined,
      "gzip"
    ])
  })

  it.prop("is one that the client named, or none", [FastCheck.string()], ([accept]) => {
    const chosen = ContentEncoding.chooseEncoding(accept)
    expect(chosen === undefined || accept.toLowerCase().includes(chosen) || accept.includes("*")).toBe(true)
  })
})

describe("an encoded body", () => {
  const decoders = { gzip: Zlib.gunzipSync, br: Zlib.brotliDecompressSync }

  it.effect.prop(
    "is the same after it is decoded",
    {
      bytes: FastCheck.uint8Array({ maxLength: 5000 }),
      encoding: FastCheck.constantFrom("gzip" as const, "br" as const)
    },
    ({ bytes, encoding }) =>
      Effect.map(Effect.promise(() => ContentEncoding.encode(encoding, bytes)), (encoded) => {
        expect(Buffer.compare(decoders[encoding](encoded), bytes)).toBe(0)
      })
  )
})
