/** Prepares a command: its settings and values, from its options, the environment and configuration files. */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type ArgumentValues, isEnabled, singleValue, stdinArgument } from "../args/ArgumentValues.ts"
import { resolveBounds } from "../args/Bounds.ts"
import { withChainNames } from "../args/Chains.ts"
import { parseDuration } from "../args/Checks.ts"
import { globalOptions, isExport, verboseOption } from "../args/GlobalOptions.ts"
import type { AddressBook } from "../config/AddressBook.ts"
import { protectStoredKey, requireProfile } from "../config/ApiKey.ts"
import * as Configuration from "../config/Configuration.ts"
import { type CommandError, UsageError } from "../errors/CommandError.ts"
import { isOutputFormat } from "../render/View.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { baseUrlOptions } from "../text/BaseUrlOptions.ts"
import type { CommandInvocation, CommandSpec } from "./CommandSpec.ts"

/** Resolves the settings of a command, and adds those that its command line does not set to the values of its options. */
export const prepareCommand = (
  command: CommandSpec,
  given: ArgumentValues,
  configuration: Configuration.Configuration
): Effect.Effect<CommandInvocation, UsageError, CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    yield* protectStoredKey(configuration.profile)
    if (command.allowsInvalidConfiguration !== true) {
      yield* Configuration.requireValid(configuration)
      if (command.allowsUnknownProfile !== true) yield* requireProfile(configuration)
    }
    const now = DateTime.unsafeMake(yield* Clock.currentTimeMillis)
    const resolved = command.operation === null
      ? given
      : yield* resolveBounds(given, now)
    const configured = withConfiguredValues(command, resolved, configuration)
    const values = withChainNames(withAddresses(command, configured, configuration.addressBook))
    const format = singleValue(values, "output") ?? ""
    return {
      command,
      // A command that continues this one has the same bounds
      commandLineValues: resolved,
      values,
      settings: {
        format: isOutputFormat(format) ? format : terminal.out.isTerminal ? "table" : "ndjson",
        isSandbox: yield* isSandbox(configuration),
        isVerbose: isEnabled(values, verboseOption.name),
        sendsManyRequests: ["all", "to", "from"].some((name) => (singleValue(values, name) ?? "") !== "") ||
          command.arguments.some(({ name }) => singleValue(values, name) === stdinArgument),
        timeout: timeoutOf(command, values, configuration),
        configuration
      }
    }
  })

/** Watches, exports and servers run for as long as they need, so that only the option ends them. */
const timeoutOf = (
  { endsAtTimeout = false, runsUntilInterrupted = false }: CommandSpec,
  values: ArgumentValues,
  configuration: Configuration.Configuration
): Duration.Duration | null => {
  const timeout = configuration.values.get("timeout")
  const isLong = runsUntilInterrupted || endsAtTimeout || isExport(values)
  return timeout === undefined || !values.has("timeout") || (isLong && timeout.origin._tag !== "Option")
    ? null
    : parseDuration(timeout.value)
}

const withConfiguredValues = (
  { options }: CommandSpec,
  commandLineValues: ArgumentValues,
  { values }: Configuration.Configuration
): ArgumentValues => {
  const accepted = new Set([...options, ...globalOptions].map(({ name }) => name))
  return new Map([
    ...[...values].filter(([name]) => accepted.has(name)).map(([name, { value }]) =>
      [name, [value]] as const
    ),
    ...commandLineValues
  ])
}

/** Replaces the names of the address book by their addresses. */
const withAddresses = (
  command: CommandSpec,
  values: ArgumentValues,
  { resolve }: AddressBook
): ArgumentValues => {
  const specs = command.operation === null ? [] : [...command.arguments, ...command.options]
  const names = new Set(specs.filter(({ completes }) => completes === "alias").map(({ name }) => name))
  return new Map(
    [...values].map(([name, words]) =>
      [name, names.has(name) ? words.map((list) => list.split(",").map(resolve).join(",")) : words] as const
    )
  )
}

/** A base URL on the command line takes precedence over a sandbox that is configured elsewhere. */
const isSandbox = ({ values }: Configuration.Configuration): Effect.Effect<boolean, UsageError> => {
  const sandbox = values.get("sandbox")
  const hasBaseUrl = baseUrlOptions.some(({ name }) => values.get(name)?.origin._tag === "Option")
  if (sandbox?.value !== "true") return Effect.succeed(false)
  if (!hasBaseUrl) return Effect.succeed(true)
  return sandbox.origin._tag !== "Option" ? Effect.succeed(false) : new UsageError({
    reason: "--sandbox and a base URL are mutually exclusive",
    hint: "use one of them"
  })
}

/** Adds where an invalid value comes from, if it is not on the command line. */
export const explainOrigin =
  ({ settings: { configuration } }: CommandInvocation) => (error: CommandError) => {
    if (error._tag !== "UsageError") return error
    const { option = "" } = error
    const origin = configuration.values.get(option)?.origin
    return origin === undefined || origin._tag === "Option" ? error : new UsageError({
      reason: error.reason,
      hint: `${origin.text} sets ${option}; pass --${option} to override it`
    })
  }
