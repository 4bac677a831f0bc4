/** The command line as an effect from arguments to an exit status. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import { type ArgumentValues, isEnabled, singleValue } from "./args/ArgumentValues.ts"
import { resolvePath } from "./args/CommandTree.ts"
import {
  colorOption,
  curlOption,
  isExport,
  jsonErrorsOption,
  noPagerOption,
  profileOption,
  quietOption
} from "./args/GlobalOptions.ts"
import { commandLoaders } from "./commands/Commands.ts"
import { commandLine } from "./commands/Descriptions.build.ts"
import * as Configuration from "./config/Configuration.ts"
import type { HttpTransport } from "./connection/HttpTransport.ts"
import {
  type CommandError,
  CommandTimeoutError,
  type ErrorReport,
  exitCodes,
  isSilent,
  reportOf,
  unexpectedErrorExitCode,
  UsageError
} from "./errors/CommandError.ts"
import type { ArrangedCommandLine } from "./invocation/Arrange.ts"
import { CommandDescriptions, type CommandInvocation, type CommandSpec } from "./invocation/CommandSpec.ts"
import { parseCommand } from "./invocation/ParseCommand.ts"
import { explainOrigin, prepareCommand } from "./invocation/PrepareCommand.ts"
import { withTimeout } from "./terminal/CommandTimeout.ts"
import { environmentVariable } from "./terminal/EnvironmentVariable.ts"
import { withPager } from "./terminal/Pager.ts"
import { KnownSecrets, redactNotes } from "./terminal/Redaction.ts"
import { colorVariables, styled, withColorMode } from "./terminal/StreamInfo.ts"
import { CommandTerminal, withFittedProgress, withoutNotices } from "./terminal/Terminal.ts"
import * as VerboseLog from "./terminal/VerboseLog.ts"
import { sanitize } from "./text/Sanitize.ts"

type CommandServices = HttpTransport | CommandTerminal | CommandDescriptions

/** Runs a command, reports its error, and returns the exit status. */
export const run = (
  line: ArrangedCommandLine,
  version: string
): Effect.Effect<number, never, HttpTransport | CommandTerminal> =>
  execute(line, version).pipe(
    Effect.as(0),
    Effect.catchAllCause((cause) =>
      Cause.isInterrupted(cause) && Option.isNone(Cause.failureOption(cause))
        ? Effect.interrupt
        : Option.match(Cause.failureOption(cause), {
          onNone: () => reportDefect(cause, line),
          onSome: (error) => reportError(error, line)
        })
    ),
    Effect.provideServiceEffect(
      CommandTerminal,
      // A cut line could end with a part of the API key, so it is redacted before
      Effect.flatMap(CommandTerminal, (terminal) => redactNotes(withFittedProgress(terminal)))
    ),
    Effect.provideService(KnownSecrets, new Set<string>()),
    Effect.provideService(CommandDescriptions, commandLine)
  )

const execute = (
  line: ArrangedCommandLine,
  version: string
): Effect.Effect<void, CommandError, CommandServices> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const invocation = yield* Either.mapLeft(line.invocation, (error) => new UsageError(error))
    if (invocation._tag !== "Run") {
      const { formatInformation } = yield* Effect.promise(() => import("./help/Help.ts"))
      const { values } = yield* Configuration.load(new Map())
      return yield* Effect.flatMap(
        CommandTerminal,
        ({ print }) => print(formatInformation(commandLine, invocation, terminal.out, version))
      ).pipe(withPager({
        isEnabled: !isEnabled(line.options, noPagerOption.name),
        chopsLines: false,
        command: values.get("pager")?.value ?? null
      }))
    }
    const name = invocation.command.path.join(" ")
    const load = commandLoaders[name]
    if (load === undefined) return yield* Effect.dieMessage(`no loader of ${name}`)
    const command = yield* Effect.promise(load)
    return yield* runCommand(command, yield* parseCommand(command, invocation))
  })

const runCommand = (
  command: CommandSpec,
  values: ArgumentValues
): Effect.Effect<void, CommandError, CommandServices> =>
  Effect.gen(function*() {
    const invocation = yield* prepareCommand(command, values)
    const { configuration, isVerbose, timeout } = invocation.settings
    const colorMode = yield* colorModeOf(configuration)
    const standard = yield* CommandTerminal
    const colored = {
      ...standard,
      out: withColorMode(standard.out, colorMode),
      err: withColorMode(standard.err, colorMode)
    }
    const terminal = isEnabled(values, quietOption.name) ? withoutNotices(colored) : colored
    const withActivity = terminal.err.isTerminal
      ? (yield* Effect.promise(() => import("./render/Activity.ts"))).withActivity(terminal)
      : identity
    const effect = runOrPreview(command, invocation).pipe(
      withActivity,
      VerboseLog.withVerboseLog(terminal, isVerbose),
      Effect.mapError(explainOrigin(invocation)),
      Effect.provideService(CommandTerminal, terminal)
    )
    return yield* timeout === null || command.endsAtTimeout?.(values) === true
      ? effect
      : withTimeout(
        timeout,
        () =>
          new CommandTimeoutError({
            timeout,
            // An export continues where it stopped, so fewer records are no help
            operation: isExport(values) ? null : command.operation,
            isUpdate: command.isUpdate
          })
      )(effect)
  })

/** Returns the configured color mode. Variables such as NO_COLOR take precedence over that of a file. */
const colorModeOf = ({ values }: Configuration.Configuration): Effect.Effect<string | undefined> =>
  Effect.gen(function*() {
    const color = values.get(colorOption.name)
    if (color?.origin._tag !== "File") return color?.value
    const variables = yield* Effect.forEach(colorVariables, environmentVariable)
    return variables.every((value) => value === "") ? color.value : undefined
  })

/** Returns the color mode of errors, also of an invalid command line. */
const colorModeOfErrors = (values: ArgumentValues): Effect.Effect<string | undefined> => {
  const options = [colorOption.name, profileOption.name].flatMap((name) => {
    const value = singleValue(values, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return Effect.flatMap(Configuration.load(new Map(options)), colorModeOf)
}

const runOrPreview = (
  command: CommandSpec,
  invocation: CommandInvocation
): Effect.Effect<void, CommandError, CommandServices> =>
  isEnabled(invocation.values, curlOption.name) && command.api !== "any"
    ? Effect.flatMap(
      Effect.promise(() => import("./diagnostics/Curl.ts")),
      ({ printCurl }) => printCurl(invocation)
    )
    : command.run(invocation)

const reportError = (
  error: CommandError,
  line: ArrangedCommandLine
): Effect.Effect<number, never, CommandTerminal> =>
  Effect.gen(function*() {
    if (isSilent(error)) return exitCodes[error._tag]
    const report = reportOf(error)
    const refersToHelp = error._tag === "UsageError" || error._tag === "InvalidInputError"
    return yield* printReport(
      { ...report, hint: report.hint ?? (refersToHelp ? helpHint(line) : null) },
      line.options
    )
  })

/** Prints a report to stderr, and returns its exit status. */
const printReport = (
  report: ErrorReport,
  options: ArgumentValues
): Effect.Effect<number, never, CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const { exitCode, hint, message } = report
    const err = withColorMode(terminal.err, yield* colorModeOfErrors(options))
    yield* terminal.progress(null)
    if (isEnabled(options, jsonErrorsOption.name)) {
      yield* terminal.note(JSON.stringify(report))
      return exitCode
    }
    yield* terminal.note(`${styled(err, "red", "error:")} ${message}`)
    if (hint !== null && !isEnabled(options, quietOption.name)) {
      yield* terminal.note(`${styled(err, "dim", "hint:")} ${hint}`)
    }
    return exitCode
  })

/** Refers to the help of the command, if there is one. */
const helpHint = ({ positionals }: ArrangedCommandLine): string => {
  const command = positionals.map((_, index) =>
    resolvePath(commandLine.commands, positionals.slice(index)).command
  ).find((command) => command !== null)
  return `run "${["quarry", ...command?.path ?? [], "--help"].join(" ")}" for usage`
}

const reportDefect = (
  cause: Cause.Cause<unknown>,
  line: ArrangedCommandLine
): Effect.Effect<number, never, CommandTerminal> =>
  printReport({
    tag: "UnexpectedError",
    message: sanitize(String(Cause.squash(cause))),
    hint: "this is a bug in quarry; please report it with the output of --verbose",
    exitCode: unexpectedErrorExitCode,
    retryable: false,
    requestId: null
  }, line.options)
