/** Negotiation and application of content encodings. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Zlib from "node:zlib"
import * as ContentEncoding from "../../src/response/EncodedBodies.ts"

/** The preferred encoding that this Node version supports. */
const best = "zstdCompress" in Zlib ? "zstd" : "br"

describe("the negotiated encoding", () => {
  it("has the highest q value, and compresses best among equals", () => {
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

  it.prop("is one that the client lists, or none", [FastCheck.string()], ([accept]) => {
    const chosen = ContentEncoding.chooseEncoding(accept)
    expect(chosen === undefined || accept.toLowerCase().includes(chosen) || accept.includes("*")).toBe(true)
  })
})

describe("an encoded body", () => {
  const decoders = { gzip: Zlib.gunzipSync, br: Zlib.brotliDecompressSync }

  it.effect.prop(
    "decodes to the original",
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
