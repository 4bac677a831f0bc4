/** Deterministic values that look random: addresses of pools, hashes of tokens, ratios. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

/** Returns 64 hexadecimal digits for a list of strings. */
export const digest = (...parts: ReadonlyArray<string>): string =>
  bytesToHex(sha256(utf8ToBytes(parts.join("\n"))))

/** Returns an address for a list of strings. */
export const addressFor = (...parts: ReadonlyArray<string>): string => `0x${digest(...parts).slice(0, 40)}`

/** Returns an integer below `limit` (at most 2^32) for a list of strings. */
export const numberFor = (limit: number, ...parts: ReadonlyArray<string>): number =>
  Number.parseInt(digest(...parts).slice(0, 8), 16) % limit
