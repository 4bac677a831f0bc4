/** Checks the values that a command line gives to the options of a command, and names its arguments. */
import * as Effect from "effect/Effect"
import { type ArgumentValues, isSet, singleValue } from "../args/ArgumentValues.ts"
import { globalOptions } from "../args/GlobalOptions.ts"
import { UsageError } from "../errors/CommandError.ts"
import type { ArrangedCommand } from "./Arrange.ts"
import type { CommandSpec } from "./CommandSpec.ts"

export const parseCommand = (
  spec: CommandSpec,
  { args, command, options }: ArrangedCommand
): Effect.Effect<ArgumentValues, UsageError> =>
  Effect.gen(function*() {
    const known = [...spec.options, ...globalOptions]
    const values = new Map([
      ...options,
      ...command.arguments.slice(0, args.length).map(({ name, repeatable }, index) =>
        [name, args.slice(index, repeatable ? undefined : index + 1)] as const
      )
    ])
    const given = [...options.keys()].flatMap((name) => known.find((option) => option.name === name) ?? [])
    for (const { check = () => null, conflictsWith = [], name, requires } of given) {
      const problem = check(singleValue(values, name) ?? "")
      if (problem !== null) {
        return yield* new UsageError({ reason: `--${name}: ${problem.message}`, hint: problem.hint })
      }
      const other = isSet(values, name) ? conflictsWith.find((other) => isSet(values, other)) : undefined
      if (other !== undefined) {
        return yield* new UsageError({
          reason: `--${name} and --${other} are mutually exclusive`,
          hint: "omit one of them"
        })
      }
      if (requires !== undefined && !isSet(values, requires)) {
        return yield* new UsageError({
          reason: `--${name} requires --${requires}`,
          hint: `add --${requires}`
        })
      }
    }
    return values
  })
