/**
 * One of several keys for one base address.
 *
 * @since 0.1.0
 */
import type * as Redacted from "effect/Redacted"
import type { RateLimit } from "./RateLimit.ts"

/**
 * A key with a name for people. Attempts take turns with the keys of a client, and go on with another one where the
 * service refuses one of them, see `Engine.ts`. A key that is given twice counts once, under its first label.
 *
 * @since 0.1.0
 * @category models
 */
export interface ApiKey {
  /** What logs and reports call it. */
  readonly label: string
  readonly key: Redacted.Redacted
  /** That of the client where nothing is said. */
  readonly rateLimit?: RateLimit | undefined
}

/**
 * What a key is called that comes alone and without a label.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaultLabel = "default"
