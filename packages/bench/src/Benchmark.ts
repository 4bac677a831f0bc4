/** A benchmark: a group of comparisons and their resources. */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Comparison } from "./Comparison.ts"

export interface Benchmark {
  readonly name: string
  readonly comparisons: Effect.Effect<ReadonlyArray<Comparison>, never, Scope.Scope>
}
