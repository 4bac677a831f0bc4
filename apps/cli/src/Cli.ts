/** The command line as an effect from arguments to an exit status. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { resolvePath } from "./args/CommandPath.ts"
import type { ArgumentValues, CommandSpec } from "./args/CommandSpec.ts"
import { parseArgs } from "./args/ParseArgs.ts"
import {
  type CommandError,
  CommandTimeoutError,
  exitCodes,
  formatError,
  unexpectedErrorExitCode
} from "./CommandError.ts"
import { commands } from "./commands/Commands.ts"
import * as CommandSettings from "./CommandSettings.ts"
import type { HttpTransport } from "./HttpTransport.ts"
import { KnownSecrets, redactNotes } from "./Redaction.ts"
import { sanitize } from "./render/Sanitize.ts"
import { CommandTerminal, styled } from "./Terminal.ts"
import * as VerboseLog from "./VerboseLog.ts"

/** Runs a command, reports its error, and returns the exit status. */
export const run = (
  argv: ReadonlyArray<string>,
  version: string
): Effect.Effect<number, never, HttpTransport | CommandTerminal> =>
  execute(argv, version).pipe(
    Effect.as(0),
    Effect.catchAllCause((cause) =>
      Cause.isInterrupted(cause) && Option.isNone(Cause.failureOption(cause))
        ? Effect.interrupt
        : Option.match(Cause.failureOption(cause), {
          onNone: () => reportDefect(cause),
          onSome: (error) => reportError(error, argv)
        })
    ),
    Effect.provideServiceEffect(CommandTerminal, Effect.flatMap(CommandTerminal, redactNotes)),
    Effect.provideService(KnownSecrets, new Set<string>())
  )

const execute = (
  argv: ReadonlyArray<string>,
  version: string
): Effect.Effect<void, CommandError, HttpTransport | CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const invocation = yield* parseArgs(commands, argv)
    switch (invocation._tag) {
      case "Version":
        return yield* terminal.print(`${version}\n`)
      case "Help": {
        const help = yield* Effect.promise(() => import("./Help.ts"))
        return yield* terminal.print(
          invocation.command !== null
            ? help.commandHelp(invocation.command, terminal.out)
            : invocation.path.length > 0
            ? help.groupHelp(commands, invocation.path, terminal.out)
            : help.mainHelp(commands, terminal.out)
        )
      }
      case "Completions": {
        const tree = yield* Effect.promise(() => import("./args/CommandTree.ts"))
        return yield* Effect.flatMap(tree.completionScript(commands, invocation.shell), terminal.print)
      }
      case "Run":
        return yield* runCommand(invocation.command, invocation.values)
    }
  })

const runCommand = (
  command: CommandSpec,
  values: ArgumentValues
): Effect.Effect<void, CommandError, HttpTransport | CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const invocation = yield* CommandSettings.prepare(command, values)
    const { isVerbose, timeout } = invocation.settings
    const effect = VerboseLog.withVerboseLog(terminal, isVerbose)(command.run(invocation)).pipe(
      Effect.mapError(CommandSettings.explainOrigin(invocation))
    )
    return yield* timeout === null
      ? effect
      : Effect.timeoutFail(effect, {
        duration: timeout,
        onTimeout: () =>
          new CommandTimeoutError({ timeout, operation: command.operation, isUpdate: command.isUpdate })
      })
  })

const reportError = (
  error: CommandError,
  argv: ReadonlyArray<string>
): Effect.Effect<number, never, CommandTerminal> =>
  Effect.gen(function*() {
    if (error._tag === "OutputClosedError") return exitCodes.OutputClosedError
    const terminal = yield* CommandTerminal
    const { hint, message } = formatError(error)
    yield* terminal.progress(null)
    yield* terminal.note(`${styled(terminal.err, "red", "error:")} ${message}`)
    const finalHint = hint ??
      (error._tag === "UsageError" || error._tag === "InvalidInputError" ? helpHint(argv) : null)
    if (finalHint !== null) yield* terminal.note(`${styled(terminal.err, "dim", "hint:")} ${finalHint}`)
    return exitCodes[error._tag]
  })

/** Refers to the help of the command in `argv`, if there is one. */
const helpHint = (argv: ReadonlyArray<string>): string => {
  const command = argv.map((_, index) => resolvePath(commands, argv.slice(index)).command)
    .find((command) => command !== null)
  return `run "${["quarry", ...command?.path ?? [], "--help"].join(" ")}" for usage`
}

const reportDefect = (cause: Cause.Cause<unknown>): Effect.Effect<number, never, CommandTerminal> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    yield* terminal.note(`error: ${sanitize(String(Cause.squash(cause)))}`)
    yield* terminal.note("hint: this is a bug in quarry; please report it with the output of --verbose")
    return unexpectedErrorExitCode
  })
