/** Timeouts of attempts and calls. */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { PositiveDuration } from "./gateway/Options.ts"

/** The schema of timeouts. */
export const schema = Schema.Struct({
  /** From sending a request to the last byte of its response. Default: 10 s. */
  attempt: PositiveDuration,
  /** The whole call, with all attempts and waits. Default: 45 s. */
  call: PositiveDuration
})

/** Timeouts. */
export interface Timeouts extends Schema.Schema.Type<typeof schema> {}

/** The default: 10 s for an attempt, 45 s for a call. */
export const standard: Timeouts = { attempt: Duration.seconds(10), call: Duration.seconds(45) }

/** No timeouts, for programs that apply their own. */
export const none: Timeouts = { attempt: Duration.infinity, call: Duration.infinity }
