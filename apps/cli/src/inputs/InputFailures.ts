/** Collects the inputs that fail, and reports them at the end. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import {
  type CommandError,
  exitCodes,
  formatError,
  InputsFailedError,
  isSilent,
  reportOf
} from "../errors/CommandError.ts"
import type { JobInputs } from "../list/RecordList.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { toJson } from "../text/Json.ts"
import { sanitize } from "../text/Sanitize.ts"
import type { InputLine } from "./InputText.ts"

/** The number of failures that are listed. */
const listedCount = 20

/** After this many failures of the service in a row, further inputs would fail too. */
const maxServiceFailures = 20

/** A longer input is cut in messages. */
const maxShownInput = 100

export interface InputFailures extends Omit<JobInputs, "pipe"> {
  readonly addSuccess: Effect.Effect<void>
  /** Records a failure. Fails with its error if the other inputs would fail too. */
  readonly add: (line: InputLine, error: CommandError) => Effect.Effect<void, CommandError>
  /** Fails if an input failed. */
  readonly result: Effect.Effect<void, InputsFailedError>
}

/** Errors that are caused by the settings, the plan or the output, so that all inputs would fail. */
const commonErrors = new Set<CommandError["_tag"]>([
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
const concernsService = (error: CommandError): boolean => exitCodes[error._tag] >= 5

/** Returns whether an input was not sent to the service, and so says nothing about it. */
const isInvalidInput = (error: CommandError): boolean =>
  error._tag === "UsageError" || error._tag === "InvalidInputError"

interface InputFailuresOptions {
  readonly source: string
  /** What the inputs are, in the plural. */
  readonly inputName: "inputs" | "chains"
  /** Whether each failure is reported at once, as a line of JSON. */
  readonly isJson: boolean
}

export const makeInputFailures = (
  { inputName, isJson, source }: InputFailuresOptions
): Effect.Effect<InputFailures, never, CommandTerminal> =>
  Effect.gen(function*() {
    const { note } = yield* CommandTerminal
    const listed: Array<{ readonly text: string; readonly hint: string | null }> = []
    const exitStatuses = new Set<number>()
    let failed = 0
    let succeeded = 0
    let serviceFailures = 0
    const summary = () => {
      const [status] = exitStatuses
      return new InputsFailedError({
        failed,
        total: failed + succeeded,
        sharedExitCode: succeeded === 0 && exitStatuses.size === 1 ? status ?? null : null,
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
      addSuccess: Effect.sync(() => {
        succeeded++
        serviceFailures = 0
      }),
      add: (inputLine, error) =>
        Effect.gen(function*() {
          if (isSilent(error) || concernsAllInputs(error)) return yield* Effect.fail(error)
          const { chain, line, values } = inputLine
          const input = values.join(" ")
          const report = reportOf(error)
          list(inputLine, input, report)
          failed++
          exitStatuses.add(exitCodes[error._tag])
          if (!isInvalidInput(error)) serviceFailures = concernsService(error) ? serviceFailures + 1 : 0
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
        const more = failed - listed.length
        const hints = new Set(
          listed.flatMap(({ hint }) => hint === null || hint === lastHint ? [] : [`hint: ${hint}`])
        )
        const lines = [
          isComplete
            ? `${failed} of ${failed + succeeded} ${inputName} failed:`
            : `${failed} of ${failed + succeeded} read ${inputName} failed; the rest was not read:`,
          ...listed.map(({ text }) => text),
          ...(more > 0 ? [`  and ${more} more`] : [])
        ]
        return Effect.zipRight(
          note(lines.join("\n"), "required"),
          Effect.forEach(hints, (hint) => note(hint), { discard: true })
        )
      },
      counts: () => ({ failed, total: failed + succeeded }),
      // The failures of an earlier run are not listed again
      restore: (counts) => {
        failed = counts?.failed ?? 0
        succeeded = (counts?.total ?? 0) - failed
        if (failed > 0) exitStatuses.add(exitCodes.InputsFailedError)
      },
      result: Effect.suspend(() => failed === 0 ? Effect.void : summary())
    }
  })
