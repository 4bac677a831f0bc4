/** Negotiation of content encodings. The record `encodings` has the responses. */
import { expect, it } from "@effect/vitest"
import * as ContentEncoding from "../../src/response/EncodedBodies.ts"

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
  ["*", "br"],
  ["*;q=0", undefined],
  ["deflate", undefined],
  ["gzip;q=0.3, identity;q=0.8", undefined],
  ["gzip;q=nonsense", undefined],
  ["identity;q=0, gzip;q=0.1", "gzip"]
])("for Accept-Encoding: %s the encoding is %s", (accepted, chosen) => {
  expect(ContentEncoding.chooseEncoding(accepted)).toBe(chosen)
})
