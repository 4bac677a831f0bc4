/** Generates and hashes client tokens. The configuration contains hashes only. */
import * as Effect from "effect/Effect"
import { createHash, randomBytes } from "node:crypto"

/** Lets people and secret scanners recognize a token. */
const prefix = "qp_"

/** Generates a token of 256 random bits. An unsalted hash is sufficient, because such a token cannot be guessed. */
export const generate: Effect.Effect<string> = Effect.sync(() =>
  prefix + randomBytes(32).toString("base64url")
)

/** Returns the hash in the form that the configuration expects. */
export const hash = (token: string): `sha256:${string}` =>
  `sha256:${createHash("sha256").update(token, "utf8").digest("hex")}`
