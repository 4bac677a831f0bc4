/**
 * Errors of remote stores.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"

/**
 * A command of a store failed. `reason` contains no addresses and no secrets.
 *
 * @since 0.1.0
 * @category errors
 */
export class StoreError extends Data.TaggedError("StoreError")<{ readonly reason: string }> {
  override get message(): string {
    return `store unavailable: ${this.reason}`
  }
}
