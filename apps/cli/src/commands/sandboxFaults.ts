/** Options of `quarry sandbox serve` that make the service fail or slow. */
import type { FaultRule, FaultText } from "@blockquarry/sandbox/Sandbox"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type ArgumentValues, singleValue } from "../args/ArgumentValues.ts"
import { duration, expecting, parseDuration } from "../args/Checks.ts"
import { type CommandOption, textOption } from "../args/CommandOption.ts"
import { UsageError } from "../errors/CommandError.ts"

/** Failures of networks and services that a client should survive. */
const defaultFaults = ["status=503", "reset", "status=429;retry-after=1", "truncate"]

export const faultOptions: ReadonlyArray<CommandOption> = [
  textOption("faults", "share", "Share of requests that fail, for example 0.05 (default: 0)", {
    check: expecting("a number from 0 to 1", (value) => /^(?:0|1|0?\.\d{1,6}|1\.0)$/.test(value))
  }),
  textOption(
    "fault",
    "fault",
    "How they fail, in turn: status=CODE;retry-after=SECONDS, reset, truncate, hang, html and others " +
      `(default: ${defaultFaults.join(", ")})`,
    { isRepeatable: true }
  ),
  textOption("latency", "duration", "Time before each response (default: 0s)", { check: duration })
]

/**
 * Returns rules of which exactly `share` of all requests match one, each fault as often as the others. A rule does not see
 * the requests of those before it, so its period is shorter by one for each of them.
 */
const faultRules = (
  faults: ReadonlyArray<FaultRule["fault"]>,
  share: number,
  delay: number
): ReadonlyArray<FaultRule> => {
  const period = Math.round(faults.length / share)
  return faults.map((fault, index) => ({
    fault: { delay, ...fault },
    every: Math.max(1, period - index),
    skip: Math.floor((index * period) / faults.length)
  }))
}

/** Returns the rules that the options describe. */
export const faultsOf = (
  values: ArgumentValues,
  text: typeof FaultText
): Either.Either<ReadonlyArray<FaultRule>, UsageError> => {
  const share = Number(singleValue(values, "faults") ?? 0)
  const delay = Duration.toMillis(parseDuration(singleValue(values, "latency") ?? "") ?? Duration.zero)
  if (values.has("fault") && share === 0) {
    return Either.left(
      new UsageError({ reason: "--fault: no request fails without --faults", hint: "add --faults 0.05" })
    )
  }
  return Either.map(
    Either.all(
      (values.get("fault") ?? defaultFaults).map((fault) =>
        Either.mapLeft(Schema.decodeEither(text)(fault), () =>
          new UsageError({
            reason: `--fault: expected a fault such as status=503;retry-after=2 or reset, got ${
              JSON.stringify(fault)
            }`,
            hint: `for example ${defaultFaults.join(", ")}, hang, html or bad-json`
          }))
      )
    ),
    (faults) => [
      ...share === 0 ? [] : faultRules(faults, share, delay),
      ...delay === 0 ? [] : [{ fault: { delay } }]
    ]
  )
}
