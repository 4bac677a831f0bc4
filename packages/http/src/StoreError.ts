/**
 * How a store behind a network fails.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"

/**
 * The store could not answer. `problem` says why, without addresses and secrets.
 *
 * @since 0.1.0
 * @category errors
 */
export class StoreError extends Data.TaggedError("StoreError")<{ readonly reason: string }> {
  override get message(): string {
    return `the store did not answer: ${this.reason}`
  }
}
