/**
 * Errors of remote stores.
 *
 * Unstable: this module may change in any release.
 */
import * as Data from "effect/Data"

/**
 * A command of a store failed. `reason` contains no addresses and no secrets. `fix` says what to change if the store replies
 * but cannot be used as it is configured; without it, the store may recover by itself.
 */
export class StoreError
  extends Data.TaggedError("StoreError")<{ readonly reason: string; readonly fix?: string | undefined }>
{
  override get message(): string {
    return `store unavailable: ${this.reason}${this.fix === undefined ? "" : `; ${this.fix}`}`
  }
}
