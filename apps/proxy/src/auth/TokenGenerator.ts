/** Tokens of clients: long random words, of which the configuration holds only hashes. */
import * as Effect from "effect/Effect"
import { createHash, randomBytes } from "node:crypto"

/** Tells people and scanners for leaked secrets what they see. */
const prefix = "qp_"

/** A new one of 256 random bits. Nobody guesses it, so that a plain hash gives nothing away. */
export const generate: Effect.Effect<string> = Effect.sync(() =>
  prefix + randomBytes(32).toString("base64url")
)

/** As it stands in the configuration. */
export const hash = (token: string): `sha256:${string}` =>
  `sha256:${createHash("sha256").update(token, "utf8").digest("hex")}`
