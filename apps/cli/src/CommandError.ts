/**
 * Failures of a command: what the service and its client say, and a few of the command line's own. Each has an exit
 * code, a line that says what happened and a line that says what to do.
 */
import type { ListOperationError } from "@blockquarry/core/OperationError"
import type { StillSyncingError } from "@blockquarry/http/Sync"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import { kebabCase } from "./args/KebabCase.ts"
import { sanitize } from "./render/Sanitize.ts"
import type { OutputClosedError, OutputError } from "./Terminal.ts"

/** The command line cannot be understood. */
export class UsageError extends Data.TaggedError("UsageError")<{
  readonly reason: string
  readonly hint: string | null
}> {}

/** `--timeout` is over. */
export class CommandTimeoutError extends Data.TaggedError("CommandTimeoutError")<{
  readonly timeout: Duration.Duration
  /** Whether the command changes something, and may have done so. */
  readonly isUpdate: boolean
}> {}

/** The sandbox's server does not start. */
export class ServerStartError extends Data.TaggedError("ServerStartError")<{ readonly reason: string }> {}

export type CommandError =
  | ListOperationError
  | UsageError
  | CommandTimeoutError
  | StillSyncingError
  | ServerStartError
  | OutputError
  | OutputClosedError

/** What the process ends with. */
export const exitCodes = {
  OutputClosedError: 0,
  ServerStartError: 1,
  OutputError: 1,
  UsageError: 2,
  InvalidInputError: 2,
  RequestRejectedError: 2,
  NotFoundError: 3,
  AuthenticationError: 4,
  PlanQuotaExceededError: 4,
  RateLimitError: 5,
  ServerError: 6,
  InvalidResponseError: 6,
  PaginationError: 6,
  NetworkError: 7,
  TimeoutError: 7,
  CommandTimeoutError: 7,
  StillSyncingError: 7
} as const satisfies Record<CommandError["_tag"], number>

/** Of a failure that nobody expected, and of an interruption. */
export const unexpectedErrorExitCode = 1
export const interruptedExitCode = 130

const sandboxHint = "or add --sandbox, which needs neither address nor key"

const urlFlagsByVariable: Readonly<Record<string, string>> = {
  QUARRY_BASE_URL: "--base-url",
  QUARRY_STREAMS_URL: "--streams-url",
  QUARRY_LEDGER_URL: "--ledger-url",
  QUARRY_LEDGER_TESTNET_URL: "--ledger-testnet-url"
}

/** A setting by its name, a parameter as its option. */
const parameterLabel = (parameter: string): string =>
  /^[A-Z]/.test(parameter) ? parameter : `--${kebabCase(parameter)}`

/** What may be wrong where the usual suspects, address and chain, are not in question. */
const notFoundHints: Readonly<Record<string, string>> = {
  nftMetadata:
    "check the address, the token id and --chain; where the collection is new to the service, --wait waits for it",
  updateStreamStatus: "check the id of the stream",
  ledgerTransaction: "check the hash, and --network"
}

/** What happened, without the name of the operation: whoever reads it has just typed the command. */
const describeError = (error: Exclude<CommandError, OutputClosedError>): string => {
  switch (error._tag) {
    case "UsageError":
    case "ServerStartError":
    case "OutputError":
      return error.reason
    case "CommandTimeoutError":
      return `not finished within ${Duration.format(error.timeout)} (--timeout)` +
        (error.isUpdate ? "; the update may have taken effect, and to repeat it does no harm" : "")
    case "StillSyncingError":
      return "the collection is still being indexed"
    case "InvalidInputError":
      return error.issues.map(({ parameter, reason: problem }) => `${parameterLabel(parameter)}: ${problem}`)
        .join("; ")
    default:
      return error.message.slice(error.operation.length + 2)
  }
}

const hintFor = (error: Exclude<CommandError, OutputClosedError>): string | null => {
  switch (error._tag) {
    case "UsageError":
      return error.hint
    case "ServerStartError":
      return "choose another address with --host and --port"
    case "OutputError":
      return "is there room where the output goes?"
    case "InvalidInputError": {
      const [{ parameter }] = error.issues
      if (parameter === "QUARRY_API_KEY") return "set it to the key alone, without anything around it"
      const flag = urlFlagsByVariable[parameter]
      return flag === undefined ? null : `set ${parameter} or give ${flag} <url>, ${sandboxHint}`
    }
    case "RequestRejectedError":
      return "the parameters are well-formed, but the service does not take them; see --help"
    case "NotFoundError":
      return notFoundHints[error.operation] ??
        "check the address and --chain; what is new may not be indexed yet"
    case "AuthenticationError":
      return error.status === null
        ? `set QUARRY_API_KEY to your key, ${sandboxHint}`
        : "check QUARRY_API_KEY: is it whole, and is it a key of this service?"
    case "PlanQuotaExceededError":
      return "waiting does not help: the plan has to be renewed or raised"
    case "RateLimitError":
      if (error.limit === "rate") {
        return "this limit is your own, 100/s where nothing is said: QUARRY_RATE_LIMIT raises it"
      }
      if (error.limit === "day") return "this limit is your own: wait for the next day of UTC, or raise it"
      return error.retryAfter === null ? "wait a little, or ask for less" : null
    case "ServerError":
      if (error.status === null) return null
      return error.status < 400
        ? "is the base address right? Give the one that it redirects to"
        : "this is not your fault; try again later, with --verbose to see the attempts"
    case "InvalidResponseError":
      return "is the base address the service's? --verbose shows what was asked"
    case "PaginationError":
      return "ask for a smaller range, or for larger pages with --limit"
    case "NetworkError":
      return "check the address and the network; --verbose shows what was asked"
    case "StillSyncingError":
      return "wait longer with --timeout, or read what there is without --wait"
    case "TimeoutError":
    case "CommandTimeoutError":
      return "give more time with --timeout, or ask for less with --limit"
  }
}

/** What happened, and what to do about it. Both may repeat what a service said, so both are made safe. */
export const formatError = (
  error: Exclude<CommandError, OutputClosedError>
): { readonly message: string; readonly hint: string | null } => {
  const hint = hintFor(error)
  return { message: sanitize(describeError(error)), hint: hint === null ? null : sanitize(hint) }
}
