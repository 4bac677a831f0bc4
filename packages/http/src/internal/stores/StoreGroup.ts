/**
 * Stores on the same server, which become unavailable together.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"

/**
 * When one store of the group becomes unavailable, all do, so that a call waits for at most one timeout. Each store
 * becomes available again on its own.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoreGroup {
  /** Marks each store as unavailable. */
  readonly onUnavailable: Set<Effect.Effect<void>>
}

/**
 * Creates an empty group.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<StoreGroup> = Effect.sync(() => ({ onUnavailable: new Set() }))
