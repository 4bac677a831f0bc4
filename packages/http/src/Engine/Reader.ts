/** Reading answers for one operation, each once however often it is given from the cache. */
import type { Operation } from "@blockquarry/core/Operation"
import type { QueryError } from "@blockquarry/core/QueryError"
import * as Either from "effect/Either"
import type { Answer } from "../Answer.ts"
import type { Served } from "../Served.ts"
import { decode } from "./Decode.ts"

export interface Reader<Output> {
  readonly read: (served: Pick<Served, "answer" | "verdict">) => Either.Either<Output, QueryError>
}

export const make = <I, Accepts, Output, Wire>(
  operation: Operation<I, Accepts, Output, Wire>
): Reader<Output> => {
  // What was read lives as long as the answer that it was read from: in a store, or not at all.
  const known = new WeakMap<Answer, Either.Either<Output, QueryError>>()
  return {
    read: ({ answer, verdict }) => {
      const before = known.get(answer)
      if (before !== undefined) return before
      const meaning = verdict()
      const value: Either.Either<Output, QueryError> = meaning._tag === "Whole"
        ? decode(operation, meaning)
        : Either.left(meaning.error)
      known.set(answer, value)
      return value
    }
  }
}
