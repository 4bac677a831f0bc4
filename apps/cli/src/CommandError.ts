/**
 * Failures of a command: what the service and its client say, and a few of the command line's own. Each has an exit
 * code, a line that says what happened and a line that says what to do.
 */
import type { ListOperationError, LocalLimitError } from "@blockquarry/core/OperationError"
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

/** No API key is configured. */
export class MissingApiKeyError extends Data.TaggedError("MissingApiKeyError") {}

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
  | MissingApiKeyError
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
  MissingApiKeyError: 4,
  AuthenticationError: 4,
  PermissionDeniedError: 4,
  PlanQuotaExceededError: 4,
  RateLimitError: 5,
  LocalLimitError: 5,
  ServerError: 6,
  InvalidResponseError: 6,
  CircuitOpenError: 6,
  PaginationError: 6,
  NetworkError: 7,
  TimeoutError: 7,
  CommandTimeoutError: 7,
  StillSyncingError: 7
} as const satisfies Record<CommandError["_tag"], number>

/** Of a failure that nobody expected, and of an interruption. */
export const unexpectedErrorExitCode = 1
export const interruptedExitCode = 130

export const sandboxHint = "or add --sandbox, which requires no base URL and no API key"

/** What may be wrong where the usual suspects, address and chain, are not in question. */
const notFoundHints: Readonly<Record<string, string>> = {
  nftMetadata:
    "check the address, the token id and --chain; where the collection is new to the service, --wait waits for it",
  updateStreamStatus: "check the id of the stream",
  ledgerTransaction: "check the hash, and --network"
}

const localLimitHints: Readonly<Record<LocalLimitError["limit"], string>> = {
  rate: "this limit is set by QUARRY_RATE_LIMIT (default: 100/s)",
  concurrency: "retry later, or request less",
  daily: "this quota is configured for the key: retry on the next day (UTC), or raise it"
}

/** What happened, without the name of the operation: whoever reads it has just typed the command. */
const describeError = (error: Exclude<CommandError, OutputClosedError>): string => {
  switch (error._tag) {
    case "UsageError":
    case "ServerStartError":
    case "OutputError":
      return error.reason
    case "MissingApiKeyError":
      return "no API key is set"
    case "CommandTimeoutError":
      return `not finished within ${Duration.format(error.timeout)} (--timeout)` +
        (error.isUpdate ? "; the update may have taken effect, and to repeat it does no harm" : "")
    case "StillSyncingError":
      return "the collection is still being indexed"
    case "InvalidInputError":
      return error.issues.map(({ parameter, reason }) => `--${kebabCase(parameter)}: ${reason}`)
        .join("; ")
    case "AuthenticationError":
    case "CircuitOpenError":
    case "InvalidResponseError":
    case "LocalLimitError":
    case "NetworkError":
    case "NotFoundError":
    case "PaginationError":
    case "PermissionDeniedError":
    case "PlanQuotaExceededError":
    case "RateLimitError":
    case "RequestRejectedError":
    case "ServerError":
    case "TimeoutError":
      return error.summary
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
    case "MissingApiKeyError":
      return `set QUARRY_API_KEY to your key, ${sandboxHint}`
    case "InvalidInputError":
      return null
    case "RequestRejectedError":
      return "the service rejected the request parameters; see --help"
    case "NotFoundError":
      return notFoundHints[error.operation] ??
        "check the address and --chain; what is new may not be indexed yet"
    case "AuthenticationError":
      return "check that QUARRY_API_KEY is complete and belongs to this service"
    case "PermissionDeniedError":
      return "check the permissions of the key in QUARRY_API_KEY"
    case "PlanQuotaExceededError":
      return "renew or upgrade the plan of the key; a retry does not help"
    case "LocalLimitError":
      return localLimitHints[error.limit]
    case "RateLimitError":
      return error.retryAfter === null ? "retry later, or request less" : null
    case "CircuitOpenError":
      return null
    case "ServerError":
      return "retry later; --verbose shows the attempts"
    case "InvalidResponseError":
      return error.kind === "redirect"
        ? "check the base URL: it redirects; use the URL that it redirects to"
        : "check that the base URL is that of the service; --verbose shows the requests"
    case "PaginationError":
      return "ask for a smaller range, or for larger pages with --limit"
    case "NetworkError":
      return "check the base URL and the network; --verbose shows the requests"
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
