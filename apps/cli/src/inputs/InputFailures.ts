/** Collects the inputs that fail, and reports them at the end. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import { type CommandError, exitCodes, formatError, InputsFailedError } from "../CommandError.ts"
import { errorCode } from "../config/ReplaceFile.ts"
import { sanitize } from "../render/Sanitize.ts"
import { CommandTerminal, OutputError } from "../Terminal.ts"
import type { InputPosition } from "./InputPosition.ts"

/** The number of failures that are listed. */
const listedCount = 20

/** After this many failures of the service in a row, further inputs would fail too. */
const maxServiceFailures = 20

export interface InputFailures {
  /** Counts the inputs before the position at which the command continues, and keeps those that failed in the file. */
  readonly continueAt: (position: InputPosition) => Effect.Effect<void, OutputError>
  /** The number of inputs that failed so far. */
  readonly count: () => number
  readonly addSuccess: Effect.Effect<void>
  /** Records a failure. Fails with its error if the other inputs would fail too. */
  readonly add: (line: number, input: string, error: CommandError) => Effect.Effect<void, CommandError>
  /** Prints the first failures and their number. */
  readonly report: Effect.Effect<void>
  /** Fails if an input failed. */
  readonly result: Effect.Effect<void, InputsFailedError>
}

/** Returns whether an error is caused by the credentials, the plan or the output, so that all inputs would fail. */
const concernsAllInputs = (error: CommandError): boolean => {
  switch (error._tag) {
    case "MissingApiKeyError":
    case "AuthenticationError":
    case "PermissionDeniedError":
    case "PlanQuotaExceededError":
    case "OutputError":
    case "ConfigFileError":
      return true
    case "LocalLimitError":
      return error.limit === "daily"
    case "UsageError":
      // An option has the same value for all inputs
      return error.reason.startsWith("--")
    default:
      return false
  }
}

/** Returns whether an error says something about the service or the network, not about the input. */
const concernsService = (error: CommandError): boolean => exitCodes[error._tag] >= 5

/** Creates an empty collection. Failed inputs are also written to `file`, if it is not null. */
export const makeInputFailures = (
  file: string | null
): Effect.Effect<InputFailures, OutputError, CommandTerminal | Scope.Scope> =>
  Effect.gen(function*() {
    const terminal = yield* CommandTerminal
    const failedFile = yield* openFailedFile(file)
    const listed: Array<{ readonly text: string; readonly hint: string | null }> = []
    const exitStatuses = new Set<number>()
    let earlier = 0
    let failed = 0
    let succeeded = 0
    let serviceFailures = 0
    return {
      continueAt: (position) =>
        Effect.suspend(() => {
          earlier = position.failed
          failed = position.failed
          succeeded = position.index - position.failed
          return failedFile.keep(position.failed)
        }),
      count: () => failed,
      addSuccess: Effect.sync(() => {
        succeeded++
        serviceFailures = 0
      }),
      add: (line, input, error) =>
        Effect.suspend(() => {
          if (error._tag === "OutputClosedError" || concernsAllInputs(error)) return Effect.fail(error)
          if (listed.length < listedCount) {
            const { hint, message } = formatError(error)
            listed.push({ text: `  line ${line}: ${sanitize(input)}: ${message}`, hint })
          }
          failed++
          exitStatuses.add(exitCodes[error._tag])
          serviceFailures = concernsService(error) ? serviceFailures + 1 : 0
          return Effect.zipRight(
            failedFile.add(input),
            serviceFailures >= maxServiceFailures ? Effect.fail(error) : Effect.void
          )
        }),
      report: Effect.suspend(() => {
        if (failed === 0) return Effect.void
        const more = failed - earlier - listed.length
        const hints = new Set(listed.flatMap(({ hint }) => hint === null ? [] : [`hint: ${hint}`]))
        const lines = [
          `${failed} of ${failed + succeeded} inputs failed:`,
          ...listed.map(({ text }) => text),
          ...(more > 0 ? [`  and ${more} more`] : []),
          ...(earlier > 0
            ? [`  and ${earlier} before the interruption, which the interrupted run listed`]
            : []),
          ...hints
        ]
        return terminal.note(lines.join("\n"))
      }),
      result: Effect.suspend(() => {
        const [status] = exitStatuses
        return failed === 0 ? Effect.void : new InputsFailedError({
          failed,
          total: failed + succeeded,
          sharedExitCode: succeeded === 0 && earlier === 0 && exitStatuses.size === 1 ? status ?? null : null,
          failedFile: file
        })
      })
    }
  })

/** A file with one line for each failed input. */
interface FailedFile {
  /** Keeps the first lines, which an interrupted run has written. Removes the others. */
  readonly keep: (lines: number) => Effect.Effect<void, OutputError>
  readonly add: (input: string) => Effect.Effect<void, OutputError>
}

const openFailedFile = (
  file: string | null
): Effect.Effect<FailedFile, OutputError, Scope.Scope> => {
  if (file === null) return Effect.succeed({ keep: () => Effect.void, add: () => Effect.void })
  const attempt = <A>(run: () => A) =>
    Effect.try({
      try: run,
      catch: (error) => new OutputError({ reason: `--failed: cannot write ${file}: ${errorCode(error)}` })
    })
  return Effect.acquireRelease(
    attempt(() => fs.openSync(file, "a")),
    (descriptor) => Effect.sync(() => fs.closeSync(descriptor))
  ).pipe(Effect.map((descriptor): FailedFile => ({
    keep: (lines) =>
      attempt(() => {
        // A pipe or a terminal has no earlier lines
        if (!fs.fstatSync(descriptor).isFile()) return
        const kept = fs.readFileSync(file, "utf8").split(/(?<=\n)/).slice(0, lines).join("")
        fs.ftruncateSync(descriptor, Buffer.byteLength(kept))
      }),
    add: (input) => Effect.asVoid(attempt(() => fs.writeSync(descriptor, `${input.replace(/\s+/g, " ")}\n`)))
  })))
}
