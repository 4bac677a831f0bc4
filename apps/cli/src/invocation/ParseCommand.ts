/** Parses the options and arguments of a command with its descriptors for `@effect/cli`, and checks their values. */
import { parse } from "@blockquarry/command-line/Parse"
import * as Args from "@effect/cli/Args"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import { type ArgumentValues, isSet, singleValue } from "../args/ArgumentValues.ts"
import { globalOptions } from "../args/GlobalOptions.ts"
import { UsageError } from "../errors/CommandError.ts"
import type { ArrangedCommand } from "./Arrange.ts"
import type { CommandSpec } from "./CommandSpec.ts"

export const parseCommand = (
  spec: CommandSpec,
  { args, options }: ArrangedCommand
): Effect.Effect<ArgumentValues, UsageError> =>
  Effect.gen(function*() {
    // In their order, and without the others: the parser takes as long for an option that is not set
    const given = [...options.keys()].flatMap((name) =>
      [...spec.options, ...globalOptions].find((option) => option.name === name) ?? []
    )
    const named = spec.arguments.slice(0, args.length)
    const name = spec.path.join(" ")
    const words = given.flatMap(({ name }) =>
      options.get(name)?.flatMap((value) => [`--${name}`, value]) ?? []
    )
    const parsed = yield* parse(
      CommandDescriptor.make(
        name,
        Options.all(given.map(({ descriptor }) => descriptor)),
        Args.all(named.map(({ descriptor }) => descriptor))
      ),
      [name, ...words, "--", ...args]
      // The words are arranged
    ).pipe(Effect.orDie)
    const values = new Map([
      // As they are written: the parser trims those of repeated options
      ...given.map(({ name }) => [name, options.get(name) ?? []] as const),
      ...named.map(({ name }, index) => [name, parsed.args[index] ?? []] as const)
    ])
    for (const { check = () => null, conflictsWith = [], name } of given) {
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
    }
    return values
  })
