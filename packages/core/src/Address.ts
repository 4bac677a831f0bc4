/**
 * Addresses of wallets and contracts on EVM chains: 20 bytes, written as `0x` followed by 40 hexadecimal digits.
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import { hexFormat } from "./internal/digits.ts"
import { scalar } from "./internal/scalar.ts"

/**
 * An address in its canonical form, lower case. Equal addresses are equal strings in models, cache keys and requests.
 */
export type Address = `0x${string}` & Brand.Brand<"Address">

const brand = Brand.nominal<Address>()

const addressFormat = hexFormat(40)

const parseAddress = (input: unknown): Address | undefined => {
  const text = typeof input === "string" ? addressFormat.toLower(input) : undefined
  return text === undefined ? undefined : brand(text)
}

/** Decodes an address in any case. Encodes it in lower case. */
export const Address: Schema.Schema<Address, string> = scalar({
  identifier: "Address",
  expected: "an address: 0x followed by 40 hexadecimal digits",
  is: (input): input is Address => typeof input === "string" && addressFormat.isLower(input),
  decode: parseAddress,
  encode: (address): string => address,
  arbitrary: (fc) => fc.stringMatching(/^0x[0-9a-f]{40}$/).map((text) => brand(`0x${text.slice(2)}`)),
  jsonSchema: { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" }
})

/**
 * Creates an address from a text in any case. Throws a `ParseError` if the text is no address.
 *
 * @example
 * import * as Address from "@blockquarry/core/Address"
 *
 * const address = Address.make("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
 */
export const make: (text: string) => Address = /* @__PURE__ */ Schema.decodeSync(Address)

/**
 * Returns the mixed-case form of an address with its checksum (EIP-55), for display.
 *
 * @example
 * import { checksum, make } from "@blockquarry/core/Address"
 *
 * checksum(make("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed")) // "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
 */
export const checksum = (address: Address): string => {
  const hash = keccak_256(utf8ToBytes(address.slice(2)))
  let checksummed = "0x"
  for (let i = 0; i < 40; i++) {
    const byte = hash[i >> 1] ?? 0
    const nibble = i % 2 === 0 ? byte >> 4 : byte & 15
    const digit = address.charAt(i + 2)
    checksummed += nibble >= 8 ? digit.toUpperCase() : digit
  }
  return checksummed
}
