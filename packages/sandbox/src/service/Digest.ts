/**
 * Values that look arbitrary and are always the same: addresses of pools, hashes of tokens, shares of a
 * whole.
 */
import { createHash } from "node:crypto"

/** 64 hexadecimal digits for a list of texts. */
export const digest = (...parts: ReadonlyArray<string>): string =>
  createHash("sha256").update(parts.join("\n")).digest("hex")

/** An address that stands for a thing. */
export const addressFor = (...parts: ReadonlyArray<string>): string => `0x${digest(...parts).slice(0, 40)}`

/** A whole number below `bound` (at most 2^32) that stands for a thing. */
export const numberFor = (limit: number, ...parts: ReadonlyArray<string>): number =>
  Number.parseInt(digest(...parts).slice(0, 8), 16) % limit
