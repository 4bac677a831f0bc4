/** A benchmark: races that belong together, and what they need while they run. */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Comparison } from "./Comparison.ts"

export interface Benchmark {
  readonly name: string
  readonly comparisons: Effect.Effect<ReadonlyArray<Comparison>, never, Scope.Scope>
}
