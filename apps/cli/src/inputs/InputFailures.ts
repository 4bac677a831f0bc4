/** Collects the inputs that fail, and reports them at the end. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as fs from "node:fs"
import { crc32 } from "node:zlib"
import {
  type CommandError,
  exitCodes,
  formatError,
  InputsFailedError,
  isSilent,
  OutputError,
  reportOf
} from "../errors/CommandError.ts"
import { systemFailure } from "../errors/SystemError.ts"
import { isUnknownPath } from "../errors/UnknownPath.ts"
import type { JobInputs } from "../list/ListJob.ts"
import { writeToFile } from "../terminal/OutputFile.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { toJson } from "../text/Json.ts"
import { sanitize } from "../text/Sanitize.ts"
import { formatPosition, type InputPosition, startPosition } from "./InputPosition.ts"
import type { InputLine } from "./InputText.ts"

/** The number of failures that are listed. */
const listedCount = 20

/** After this many failures of the service in a row, further inputs would fail too. */
const maxServiceFailures = 20

/** A longer input is cut in messages. */
const maxShownInput = 100

export interface InputFailures extends Omit<JobInputs, "isStandardInput"> {
  /** Counts the inputs before the position at which the command continues, and keeps those that failed in the file. */
  readonly continueAt: (position: InputPosition) => Effect.Effect<void, OutputError>
  /** The inputs that failed so far, as positions have them. */
  readonly failed: () => Pick<InputPosition, "failed" | "failedSum">
  readonly addSuccess: (hasRecords: boolean) => Effect.Effect<void>
  /** Records a failure. Fails with its error if the other inputs would fail too. */
  readonly add: (line: InputLine, error: CommandError) => Effect.Effect<void, CommandError>
  /** Fails if an input failed. */
  readonly result: Effect.Effect<void, InputsFailedError>
}

/** Errors that are caused by the settings, the plan or the output, so that all inputs would fail. */
const commonErrors: ReadonlySet<CommandError["_tag"]> = new Set<CommandError["_tag"]>([
  "MissingApiKeyError",
  "AuthenticationError",
  "PermissionDeniedError",
  "PlanQuotaExceededError",
  "OutputError",
  "ConfigFileError"
])

const concernsAllInputs = (error: CommandError): boolean =>
  commonErrors.has(error._tag) ||
  (error._tag === "LocalLimitError" && error.limit === "daily") ||
  (error._tag === "UsageError" && error.concernsInput !== true)

/** Returns whether an error says something about the service or the network, not about the input. */
const concernsService = (error: CommandError): boolean =>
  exitCodes[error._tag] >= 5 || (error._tag === "NotFoundError" && isUnknownPath(error))

/** Returns whether an input was not sent to the service, and so says nothing about it. */
const isInvalidInput = (error: CommandError): boolean =>
  error._tag === "UsageError" || error._tag === "InvalidInputError"

interface InputFailuresOptions {
  /** Failed inputs are also written to this file, if it is not null. */
  readonly file: string | null
  /** Names where the inputs come from. */
  readonly source: string
  /** What the inputs are, in the plural. */
  readonly inputName: "inputs" | "chains"
  /** Whether each failure is reported at once, as a line of JSON. */
  readonly isJson: boolean
}

export const makeInputFailures = (
  { file, inputName, isJson, source }: InputFailuresOptions
): Effect.Effect<InputFailures, OutputError, CommandTerminal | Scope.Scope> =>
  Effect.gen(function*() {
    const { note } = yield* CommandTerminal
    // Opened, and changed, when the first input is read
    const failedFile = yield* Effect.cached(Scope.extend(openFailedFile(file), yield* Effect.scope))
    const listed: Array<{ readonly text: string; readonly hint: string | null }> = []
    const exitStatuses = new Set<number>()
    let earlier = 0
    let failed = 0
    let failedSum: number | null = null
    let succeeded = 0
    let serviceFailures = 0
    let begin = startPosition
    let unprinted: InputPosition | null = null
    let hasRecords = false
    // Inputs that failed because of the service are read again
    const advance = () => {
      unprinted = serviceFailures > 0 || hasRecords
        ? unprinted ?? begin
        : { ...startPosition, index: failed + succeeded, failed, failedSum }
    }
    const written = Effect.map((sum: number | null) => {
      failedSum = sum
    })
    const summary = () => {
      const [status] = exitStatuses
      return new InputsFailedError({
        failed,
        total: failed + succeeded,
        sharedExitCode: succeeded === 0 && earlier === 0 && exitStatuses.size === 1 ? status ?? null : null,
        failedFile: file,
        inputName
      })
    }
    const list = (
      { chain, line }: InputLine,
      input: string,
      { hint, message }: ReturnType<typeof reportOf>
    ) => {
      if (listed.length >= listedCount) return
      const shown = sanitize(input.length > maxShownInput ? `${input.slice(0, maxShownInput)}…` : input)
      const places = [
        ...(inputName === "chains" ? [] : [`line ${line}`]),
        // The message says what an input without values misses
        ...(shown.trim() === "" ? [] : [shown]),
        ...(chain === undefined ? [] : [sanitize(chain)])
      ]
      listed.push({ text: `  ${places.join(": ")}: ${message}`, hint })
    }
    return {
      continueAt: (position) =>
        Effect.suspend(() => {
          earlier = position.failed
          failed = position.failed
          succeeded = position.index - position.failed
          begin = position
          return Effect.flatMap(failedFile, ({ keep }) => written(keep(position)))
        }),
      failed: () => ({ failed, failedSum }),
      addSuccess: (inputHasRecords) =>
        Effect.sync(() => {
          succeeded++
          serviceFailures = 0
          hasRecords ||= inputHasRecords
          advance()
        }),
      unprinted: () => unprinted === null ? null : formatPosition(unprinted),
      add: (inputLine, error) =>
        Effect.gen(function*() {
          if (isSilent(error) || concernsAllInputs(error)) return yield* Effect.fail(error)
          const { chain, line, values } = inputLine
          const input = values.join(" ")
          const report = reportOf(error)
          list(inputLine, input, report)
          // Counted when it is written, because a command that continues keeps so many
          yield* written((yield* failedFile).add(inputLine))
          failed++
          exitStatuses.add(exitCodes[error._tag])
          if (!isInvalidInput(error)) serviceFailures = concernsService(error) ? serviceFailures + 1 : 0
          advance()
          if (isJson) {
            yield* note(
              toJson({ ...(inputName === "chains" ? {} : { input, line }), chain, ...report }),
              "required"
            )
          }
          if (serviceFailures >= maxServiceFailures) yield* Effect.fail(error)
        }),
      report: (exit) => {
        const isComplete = Exit.isSuccess(exit)
        if (failed === 0) {
          return isComplete && succeeded === 0
            ? note(sanitize(`no inputs: ${source} has none`))
            : Effect.void
        }
        if (isJson) {
          // After the last input, the error of the command is the summary
          return isComplete ? Effect.void : note(toJson(reportOf(summary())), "required")
        }
        const error = isComplete ? null : Option.getOrNull(Cause.failureOption(exit.cause))
        // Printed with the error at the end
        const lastHint = error === null || isSilent(error) ? null : formatError(error).hint
        const more = failed - earlier - listed.length
        const hints = new Set(
          listed.flatMap(({ hint }) => hint === null || hint === lastHint ? [] : [`hint: ${hint}`])
        )
        const lines = [
          isComplete
            ? `${failed} of ${failed + succeeded} ${inputName} failed:`
            : `${failed} of ${failed + succeeded} read ${inputName} failed; the rest was not read:`,
          ...listed.map(({ text }) => text),
          ...(more > 0 ? [`  and ${more} more`] : []),
          ...(earlier > 0
            ? [`  and ${earlier} before the interruption, which the interrupted run listed`]
            : [])
        ]
        return Effect.zipRight(
          note(lines.join("\n"), "required"),
          Effect.forEach(hints, (hint) => note(hint), { discard: true })
        )
      },
      counts: () => ({ failed, total: failed + succeeded }),
      restore: (counts) => {
        earlier = failed = counts?.failed ?? 0
        succeeded = (counts?.total ?? 0) - failed
      },
      result: Effect.suspend(() => failed === 0 ? Effect.void : summary())
    }
  })

/**
 * Returns the lines of a failed input. A comment names each chain on which it failed: the first one is followed by the input,
 * which `--from` reads once for all chains.
 */
const failureText = ({ chain, line, values }: InputLine, isRepeated: boolean): string => {
  const input = values.join(" ").replace(/\s+/g, " ")
  if (values.includes("") || input.startsWith("#")) return `# line ${line} cannot be read again: ${input}\n`
  if (chain === undefined) return `${input}\n`
  return `# line ${line}, ${chain}: ${input}\n${isRepeated ? "" : `${input}\n`}`
}

/** Finds the complete failures in a file. */
const completeFailures = /# line \d+, .*\n(?:[^#\n].*\n)?|.*\n/g

/** A file with the inputs that failed. Both return the checksum of its lines; null if there is none. */
interface FailedFile {
  /** Keeps the failures before a position, if an interrupted run of this command has written them. Removes the others. */
  readonly keep: (position: InputPosition) => Effect.Effect<number | null, OutputError>
  readonly add: (line: InputLine) => Effect.Effect<number | null, OutputError>
}

const noFile: FailedFile = { keep: () => Effect.succeed(null), add: () => Effect.succeed(null) }

const openFailedFile = (file: string | null): Effect.Effect<FailedFile, OutputError, Scope.Scope> => {
  if (file === null) return Effect.succeed(noFile)
  const attempt = <A>(run: () => A) =>
    Effect.try({
      try: run,
      catch: (error) => new OutputError(systemFailure(`--failed: cannot write ${file}`, error))
    })
  const open = Effect.acquireRelease(
    attempt(() => fs.openSync(file, "a")),
    (descriptor) => Effect.sync(() => fs.closeSync(descriptor))
  )
  return Effect.map(open, (descriptor) => {
    /** The line of the last failure. */
    let lastLine = 0
    let sum = 0
    const write = (text: string) => {
      const bytes = Buffer.from(text)
      const { error } = writeToFile(descriptor, bytes, [bytes.length])
      if (error !== null) throw error
      return (sum = crc32(bytes, sum))
    }
    return {
      keep: ({ failed, failedSum }) =>
        attempt(() => {
          // A pipe or a terminal has no earlier failures
          if (!fs.fstatSync(descriptor).isFile()) return null
          const first = fs.readFileSync(file, "utf8").match(completeFailures)?.slice(0, failed) ?? []
          // Other lines are those of another command
          const kept = crc32(first.join("")) === failedSum ? first : []
          const text = kept.join("")
          sum = crc32(text)
          fs.ftruncateSync(descriptor, Buffer.byteLength(text))
          lastLine = Number(/^# line (\d+), /.exec(kept.at(-1) ?? "")?.[1] ?? 0)
          // The next command that continues counts these too
          return write("# an input that failed before this file was written\n".repeat(failed - kept.length))
        }),
      add: (line) =>
        attempt(() => {
          const sum = write(failureText(line, line.line === lastLine))
          lastLine = line.line
          return sum
        })
    }
  })
}
