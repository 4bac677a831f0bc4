/** Short digests of long strings. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"

/**
 * Returns 32 hexadecimal digits that identify a string: the first half of its Keccak-256 hash, which addresses need too.
 */
export const shortDigest = (text: string): string =>
  Array.from(keccak_256(utf8ToBytes(text)).subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
