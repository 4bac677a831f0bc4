/** Negotiation and application of content encodings. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Zlib from "node:zlib"
import * as ContentEncoding from "../../src/response/EncodedBodies.ts"

/** The preferred encoding that this Node version supports. */
const best = "zstdCompress" in Zlib ? "zstd" : "br"

it.each<readonly [accepted: string | undefined, chosen: string | undefined]>([
  [undefined, undefined],
  ["", undefined],
  ["identity", undefined],
  ["gzip", "gzip"],
  ["GZIP", "gzip"],
  ["x-gzip", "gzip"],
  ["gzip, br", "br"],
  ["gzip;q=1, br;q=0.5", "gzip"],
  ["gzip;q=0, br", "br"],
  ["*", best],
  ["*;q=0", undefined],
  ["deflate", undefined],
  ["gzip;q=0.3, identity;q=0.8", undefined],
  ["gzip;q=nonsense", undefined],
  ["identity;q=0, gzip;q=0.1", "gzip"]
])("for Accept-Encoding: %s the encoding is %s", (accepted, chosen) => {
  expect(ContentEncoding.chooseEncoding(accepted)).toBe(chosen)
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
      Effect.map(Effect.promise(() => ContentEncoding.encoders[encoding](bytes)), (encoded) => {
        expect(Buffer.compare(decoders[encoding](encoded), bytes)).toBe(0)
      })
  )
})
