/** A benchmark: races that belong together, and what they need while they run. */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Race } from "./Race.ts"

export interface Benchmark {
  readonly name: string
  readonly races: Effect.Effect<ReadonlyArray<Race>, never, Scope.Scope>
}
