/** The command line as an effect from arguments to an exit status. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import { type ArgumentValues, isEnabled } from "./args/ArgumentValues.ts"
import { resolvePath } from "./args/CommandTree.ts"
import { colorOption, curlOption, isExport, jsonErrorsOption, quietOption } from "./args/GlobalOptions.ts"
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
import type { CommandLineToRun } from "./invocation/Arrange.ts"
import { CommandDescriptions, type CommandInvocation } from "./invocation/CommandSpec.ts"
import { parseCommand } from "./invocation/ParseCommand.ts"
import { explainOrigin, prepareCommand } from "./invocation/PrepareCommand.ts"
import { withTimeout } from "./terminal/CommandTimeout.ts"
import { environmentVariable } from "./terminal/EnvironmentVariable.ts"
import { KnownSecrets, redactTerminal } from "./terminal/Redaction.ts"
import { colorVariables, styled, withColorMode } from "./terminal/StreamInfo.ts"
import { CommandTerminal, withFittedProgress, withoutNotices } from "./terminal/Terminal.ts"
import * as VerboseLog from "./terminal/VerboseLog.ts"
import { sanitize } from "./text/Sanitize.ts"

/** Runs a command, reports its error, and returns the exit status. */
export const run = (
  line: CommandLineToRun
): Effect.Effect<number, never, HttpTransport | CommandTerminal> =>
  Effect.gen(function*() {
    // Also of an invalid command line, whose error has colors
    const configuration = yield* Configuration.load(line.options)
    const terminal = yield* terminalOf(configuration, line.options)
    return yield* execute(line, configuration).pipe(
      Effect.as(0),
      Effect.catchAllCause((cause) =>
        Option.match(Cause.failureOption(cause), {
          onNone: () => Cause.isInterrupted(cause) ? Effect.interrupt : reportDefect(cause, line),
          onSome: (error) => reportError(error, line)
        })
      ),
      Effect.provideService(CommandTerminal, terminal)
    )
  }).pipe(
    Effect.provideService(KnownSecrets, new Set<string>()),
    Effect.provideService(CommandDescriptions, commandLine)
  )

/** Returns the terminal of a command: with the configured colors, and without notices if it is quiet. */
const terminalOf = (configuration: Configuration.Configuration, options: ArgumentValues) =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const mode = yield* colorModeOf(configuration)
    const colored = {
      ...terminal,
      out: withColorMode(terminal.out, mode),
      err: withColorMode(terminal.err, mode)
    }
    const shown = isEnabled(options, quietOption.name) ? withoutNotices(colored) : colored
    // A cut line could end with a part of the API key, so it is redacted before
    return yield* redactTerminal(withFittedProgress(shown))
  })

/** Returns the configured color mode. Variables such as NO_COLOR take precedence over that of a file. */
const colorModeOf = ({ values }: Configuration.Configuration): Effect.Effect<string | undefined> =>
  Effect.gen(function*() {
    const color = values.get(colorOption.name)
    if (color?.origin._tag !== "File") return color?.value
    const variables = yield* Effect.forEach(colorVariables, environmentVariable)
    return variables.every((value) => value === "") ? color.value : undefined
  })

const execute = ({ invocation }: CommandLineToRun, configuration: Configuration.Configuration) =>
  Effect.gen(function*() {
    if (invocation._tag === "Invalid") {
      return yield* new UsageError({ reason: invocation.reason, hint: invocation.hint })
    }
    const name = invocation.command.path.join(" ")
    const load = commandLoaders[name]
    if (load === undefined) return yield* Effect.dieMessage(`no loader of ${name}`)
    const command = yield* Effect.promise(load)
    const values = yield* parseCommand(command, invocation)
    yield* runCommand(yield* prepareCommand(command, values, configuration))
  })

const runCommand = (invocation: CommandInvocation) =>
  Effect.gen(function*() {
    const { command, settings: { isVerbose, timeout }, values } = invocation
    const terminal = yield* CommandTerminal
    const withActivity = terminal.err.isTerminal
      ? (yield* Effect.promise(() => import("./render/Activity.ts"))).withActivity(terminal)
      : identity
    const effect = runOrPreview(invocation).pipe(
      withActivity,
      VerboseLog.withVerboseLog(terminal, isVerbose, command.endsAtTimeout),
      Effect.mapError(explainOrigin(invocation))
    )
    return yield* timeout === null || command.endsAtTimeout === true
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

const runOrPreview = (invocation: CommandInvocation) =>
  isEnabled(invocation.values, curlOption.name) && invocation.command.api !== "any"
    ? Effect.flatMap(
      Effect.promise(() => import("./diagnostics/Curl.ts")),
      ({ printCurl }) => printCurl(invocation)
    )
    : invocation.command.run(invocation)

const reportError = (error: CommandError, line: CommandLineToRun) => {
  if (isSilent(error)) return Effect.succeed(exitCodes[error._tag])
  const report = reportOf(error)
  const refersToHelp = error._tag === "UsageError" || error._tag === "InvalidInputError"
  return printReport(
    { ...report, hint: report.hint ?? (refersToHelp ? helpHint(line) : null) },
    line.options
  )
}

/** Prints a report to stderr, and returns its exit status. */
const printReport = (report: ErrorReport, options: ArgumentValues) =>
  Effect.gen(function*() {
    const { err, note, progress } = yield* CommandTerminal
    const { exitCode, hint, message } = report
    yield* progress(null)
    if (isEnabled(options, jsonErrorsOption.name)) {
      yield* note(JSON.stringify(report), "required")
      return exitCode
    }
    yield* note(`${styled(err, "red", "error:")} ${message}`, "required")
    if (hint !== null) yield* note(`${styled(err, "dim", "hint:")} ${hint}`)
    return exitCode
  })

/** Refers to the help of the command, if there is one. */
const helpHint = ({ positionals }: CommandLineToRun): string => {
  const command = positionals.map((_, index) =>
    resolvePath(commandLine.commands, positionals.slice(index)).command
  ).find((command) => command !== null)
  return `run "${["quarry", ...command?.path ?? [], "--help"].join(" ")}" for usage`
}

const reportDefect = (cause: Cause.Cause<unknown>, line: CommandLineToRun) =>
  printReport({
    tag: "UnexpectedError",
    message: sanitize(String(Cause.squash(cause))),
    hint: "this is a bug in quarry; please report it with the output of --verbose",
    exitCode: unexpectedErrorExitCode,
    retryable: false,
    requestId: null
  }, line.options)
