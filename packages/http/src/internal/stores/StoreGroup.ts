/**
 * Stores that come and go together, as those of one server do.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"

/**
 * When one of the stores is found away so are the others: who has waited for one does not wait for another. Each comes
 * back by itself.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoreGroup {
  /** What each of the stores does when any of them is lost. */
  readonly onUnavailable: Set<Effect.Effect<void>>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<StoreGroup> = Effect.sync(() => ({ onUnavailable: new Set() }))
