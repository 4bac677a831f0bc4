/** IDs of tokens in an NFT contract. */
import { maxUint256 } from "./Amount.ts"
import { isDigits } from "./internal/digits.ts"
import { scalar } from "./internal/scalar.ts"

/**
 * A token ID of up to 256 bits, as a `bigint`. Decodes decimal digits (77 of them are common) or `0x` followed by
 * hexadecimal digits. Encodes it as decimal digits.
 */
export const TokenId = scalar<bigint, string, string | bigint>({
  identifier: "TokenId",
  expected: "a token ID of at most 256 bits, in decimal or in hexadecimal with 0x",
  is: (input): input is bigint => typeof input === "bigint" && input >= 0n && input <= maxUint256,
  decode: (input) => {
    if (typeof input === "string") {
      if (!isDigits(input) && !/^0[xX][0-9a-fA-F]{1,64}$/.test(input)) return undefined
    } else if (typeof input === "number") {
      if (!Number.isSafeInteger(input)) return undefined
    } else if (typeof input !== "bigint") return undefined
    const value = BigInt(input)
    return value >= 0n && value <= maxUint256 ? value : undefined
  },
  encode: String,
  arbitrary: (fc) => fc.oneof(fc.bigInt({ min: 0n, max: maxUint256 }), fc.nat().map(BigInt)),
  jsonSchema: { type: "string", pattern: "^([0-9]+|0x[0-9a-fA-F]+)$" }
})
