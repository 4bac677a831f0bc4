/**
 * Fingerprints: short names for long texts.
 *
 * @since 0.1.0
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

/**
 * 32 hexadecimal digits that stand for a text: the first half of its SHA-256, so that no two texts share one.
 *
 * @since 0.1.0
 * @category conversions
 */
export const shortDigest = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)).subarray(0, 16))
