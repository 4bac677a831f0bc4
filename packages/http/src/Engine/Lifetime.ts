/** How long an answer is fresh. Only whole answers that the operation's model recognises are kept at all. */
import type { Operation } from "@blockquarry/core/Operation"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import type { Call, Judged } from "./Call.ts"
import type { Heads } from "./Heads.ts"
import type { Reader } from "./Reader.ts"

/** Milliseconds; null for what must not be kept. */
export const lifetime = <I, Accepts, Output, Wire>(
  operation: Operation<I, Accepts, Output, Wire>,
  input: I,
  call: Call,
  { answer, verdict }: Judged,
  reader: Reader<Output>,
  heads: Heads
): number | null => {
  if (verdict._tag === "Garbled") return null
  const value = reader.read({ answer, verdict: () => verdict })
  if (Either.isLeft(value)) {
    // What one key is refused, another may get; only that there is no such thing is true for all.
    return value.left._tag === "NotFound" && operation.absenceLasts
      ? Duration.toMillis(call.policies.cache.negative.NotFound)
      : null
  }
  if (verdict._tag === "Whole") heads.note(call, verdict.document)
  const freshness = operation.freshness(input, () => value.right)
  switch (freshness._tag) {
    case "Never":
      return null
    case "Forever":
      return forever
    case "For":
      return Duration.toMillis(freshness.duration)
    case "UpTo":
      return Duration.toMillis(heads.isSettled(call, freshness.block) ? freshness.settled : freshness.young)
  }
}

/** 30 days: what never changes need not be kept for ever. */
const forever = 30 * 24 * 3_600_000
