/** Parses the command line: commands, and options that override environment variables. */
import { parse as parseWords } from "@blockquarry/command-line/Parse"
import * as Args from "@effect/cli/Args"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { VariableValues } from "../config/EnvironmentVariables.ts"
import * as Values from "../config/ValueSchemas.ts"
import type { CommandLine } from "./CommandLine.ts"
import { options } from "./Options.ts"

type Command =
  | { readonly _tag: "Serve" }
  | { readonly _tag: "CheckConfig"; readonly connect: boolean }
  | { readonly _tag: "PrintConfig" }
  | { readonly _tag: "ExampleConfig" }
  | { readonly _tag: "NewToken"; readonly client: string }
  | {
    readonly _tag: "Usage"
    readonly query: ReadonlyArray<readonly [name: string, value: string]>
  }

export interface Arguments {
  readonly command: Command
  /** The values of options, by the names of the variables that they override. */
  readonly optionValues: VariableValues
}

const isName: (text: string) => boolean = Schema.is(Values.Name)

const namedCommand = (name: string, command: Command) =>
  CommandDescriptor.make(name).pipe(CommandDescriptor.map(() => Option.some(command)))

const configCommand = CommandDescriptor.make("config").pipe(
  CommandDescriptor.withSubcommands([
    ["check", namedCommand("check", { _tag: "CheckConfig", connect: false })],
    ["print", namedCommand("print", { _tag: "PrintConfig" })],
    ["example", namedCommand("example", { _tag: "ExampleConfig" })]
  ]),
  CommandDescriptor.map(({ subcommand }) => Option.flatMap(subcommand, ([, command]) => command))
)

const tokenCommand = CommandDescriptor.make("token", Options.none, Args.text({ name: "NAME" })).pipe(
  CommandDescriptor.map(({ args: client }) => Option.some<Command>({ _tag: "NewToken", client }))
)

const program = CommandDescriptor.make("quarry-proxy", options).pipe(
  CommandDescriptor.withSubcommands([
    ["serve", namedCommand("serve", { _tag: "Serve" })],
    ["config", configCommand],
    ["token", tokenCommand],
    ["usage", namedCommand("usage", { _tag: "Usage", query: [] })]
  ])
)

export const parse = (line: CommandLine): Effect.Effect<Arguments, string> =>
  Effect.gen(function*() {
    if (line._tag === "Invalid") return yield* Effect.fail(line.reason)
    const { options: values, positionals } = line
    // After `--`. The parser would read them as options
    if (positionals.some((word) => word.startsWith("-"))) {
      return yield* Effect.fail(unknownCommand(positionals))
    }
    // With "=", the parser takes no value for a command
    const optionWords = [...values].map(([name, all]) => `--${name}=${all.at(-1)}`)
    const { options: { connect, overrides, query: parameters }, subcommand } = yield* Effect.mapError(
      parseWords(program, ["quarry-proxy", ...optionWords, ...positionals]),
      () => unknownCommand(positionals)
    )
    const command = Option.match(subcommand, {
      onNone: () => Option.some<Command>({ _tag: "Serve" }),
      onSome: ([, command]) => command
    })
    if (Option.isNone(command)) return yield* Effect.fail(unknownCommand(positionals))
    const { value } = command
    // The configuration accepts no other names
    if (value._tag === "NewToken" && !isName(value.client)) {
      const got = JSON.stringify(value.client.slice(0, 80))
      return yield* Effect.fail(`token: expected ${Values.nameDescription}, got ${got}`)
    }
    if (connect && value._tag !== "CheckConfig") {
      return yield* Effect.fail("--connect: expected the command config check")
    }
    const query = parameters.flatMap(Option.toArray)
    if (query[0] !== undefined && value._tag !== "Usage") {
      return yield* Effect.fail(`--${query[0][0]}: expected the command usage`)
    }
    return {
      command: value._tag === "CheckConfig"
        ? { ...value, connect }
        : value._tag === "Usage"
        ? { ...value, query }
        : value,
      optionValues: Object.fromEntries(overrides)
    }
  })

const unknownCommand = (positionals: ReadonlyArray<string>): string =>
  `unknown command ${
    JSON.stringify(positionals.join(" "))
  }; expected serve, config check, config print, config example, usage or token NAME`
