/**
 * Hashes of transactions and blocks: 32 bytes, written as `0x` followed by 64 hexadecimal digits, on EVM chains and
 * on the ledger.
 */
import * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import { hexFormat } from "./internal/digits.ts"
import { scalar } from "./internal/scalar.ts"

/** A hash in its canonical form, lower case. */
export type Hash = `0x${string}` & Brand.Brand<"Hash">

const brand = Brand.nominal<Hash>()

const hashFormat = hexFormat(64)

const parseHash = (input: unknown): Hash | undefined => {
  if (typeof input !== "string") return undefined
  const text = hashFormat.toLower(input) ?? hashFormat.toLower(`0x${input}`)
  return text === undefined ? undefined : brand(text)
}

/** Decodes a hash in any case, also without `0x`, as Aptos nodes do. Encodes it in lower case, with `0x`. */
export const Hash: Schema.Schema<Hash, string> = scalar({
  identifier: "Hash",
  expected: "a hash: 0x followed by 64 hexadecimal digits",
  is: (input): input is Hash => typeof input === "string" && hashFormat.isLower(input),
  decode: parseHash,
  encode: (hash): string => hash,
  arbitrary: (fc) => fc.stringMatching(/^0x[0-9a-f]{64}$/).map((text) => brand(`0x${text.slice(2)}`)),
  jsonSchema: { type: "string", pattern: "^(0x)?[0-9a-fA-F]{64}$" }
})

/** Creates a hash from a text that `Hash` decodes. Throws a `ParseError` if the text is no hash. */
export const make: (text: string) => Hash = /* @__PURE__ */ Schema.decodeSync(Hash)
