/** Errors of a command: those of the client and of the command line. Each has an exit status, a message and a hint. */
import type { ListOperationError, LocalLimitError } from "@blockquarry/core/OperationError"
import type { StillSyncingError } from "@blockquarry/http/Sync"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import { listOperations } from "../text/CoreNames.build.ts"
import { kebabCase } from "../text/KebabCase.ts"
import { sanitize } from "../text/Sanitize.ts"

export class UsageError extends Data.TaggedError("UsageError")<{
  readonly reason: string
  readonly hint: string | null
  /** The option whose value is invalid, which the configuration may have set instead of the command line. */
  readonly option?: string
  /** Whether an argument is invalid, which each of many inputs has for itself. Default: false. */
  readonly concernsInput?: boolean
}> {}

export class MissingApiKeyError extends Data.TaggedError("MissingApiKeyError") {}

export class CommandTimeoutError extends Data.TaggedError("CommandTimeoutError")<{
  readonly timeout: Duration.Duration
  readonly operation: string | null
  /** Whether the command is an update that may have been applied. */
  readonly isUpdate: boolean
}> {}

/** What failed, and what to do, if it is more than usual. */
interface Failure {
  readonly reason: string
  readonly hint?: string | null
}

export class ServerStartError extends Data.TaggedError("ServerStartError")<Failure> {}

/** The reader of the output closed the pipe, for example `head`. The command ends with exit status 0. */
export class OutputClosedError extends Data.TaggedError("OutputClosedError") {}

/** The output cannot be written, for example because the disk is full. */
export class OutputError extends Data.TaggedError("OutputError")<Failure> {}

export class ConfigFileError
  extends Data.TaggedError("ConfigFileError")<Failure & { readonly file: string }>
{}

export class NotSetError extends Data.TaggedError("NotSetError")<Failure> {}

/** A file must not be written: it exists, belongs to another query, or another process writes it. */
export class FileConflictError extends Data.TaggedError("FileConflictError")<Failure> {}

/** Some of many inputs failed. They are reported one by one before. */
export class InputsFailedError extends Data.TaggedError("InputsFailedError")<{
  readonly failed: number
  readonly total: number
  /** The exit status if all inputs failed with the same one; null otherwise. */
  readonly sharedExitCode: number | null
  /** What the inputs are, in the plural. */
  readonly inputName: "inputs" | "chains"
}> {}

/** With `--exit-status`: the last result of `--jq` is false or null. Prints nothing. */
export class FalseResultError extends Data.TaggedError("FalseResultError") {}

/** With `--exit-status`: `--jq` has no result. Prints nothing. */
export class NoResultError extends Data.TaggedError("NoResultError") {}

/** Ends of a command that its exit status alone reports. */
export type SilentError = OutputClosedError | FalseResultError | NoResultError

export const isSilent = (error: CommandError): error is SilentError =>
  error._tag === "OutputClosedError" || error._tag === "FalseResultError" || error._tag === "NoResultError"

/** Checks of `quarry doctor` failed. They are printed before. */
export class ChecksFailedError extends Data.TaggedError("ChecksFailedError")<{
  readonly failed: number
  readonly total: number
}> {}

export type CommandError =
  | ListOperationError
  | InputsFailedError
  | UsageError
  | MissingApiKeyError
  | CommandTimeoutError
  | StillSyncingError
  | ServerStartError
  | ConfigFileError
  | ChecksFailedError
  | FileConflictError
  | NotSetError
  | OutputError
  | SilentError

export const exitCodes = {
  OutputClosedError: 0,
  ServerStartError: 1,
  OutputError: 1,
  ConfigFileError: 1,
  ChecksFailedError: 1,
  FileConflictError: 2,
  UsageError: 2,
  InvalidInputError: 2,
  RequestRejectedError: 2,
  NotFoundError: 3,
  NotSetError: 3,
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
  StillSyncingError: 7,
  InputsFailedError: 8,
  FalseResultError: 9,
  NoResultError: 10
} as const satisfies Record<CommandError["_tag"], number>

export const exitCodeOf = (error: CommandError): number =>
  error._tag === "InputsFailedError" && error.sharedExitCode !== null
    ? error.sharedExitCode
    : exitCodes[error._tag]

export const unexpectedErrorExitCode = 1

/** Exit statuses of a command that a signal ended: 128 and the number of the signal, as shells report it. */
export const signalExitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

export const sandboxHint = "or use --sandbox, which requires neither a base URL nor an API key"

/** What to do about errors whose hint depends on nothing else. */
const fixes: { readonly [T in CommandError["_tag"]]?: string } = {
  ServerStartError: "choose another --port or --host, or stop the program that uses the port",
  OutputError: "check free disk space and permissions of the output file",
  ConfigFileError: "check the file and its permissions; quarry doctor shows what is wrong",
  ChecksFailedError: "do what the checks say after fix:, and run quarry doctor again",
  FileConflictError:
    "choose another file, continue the same query with --resume, or wait for the other process",
  RequestRejectedError: "run with --help to see valid values",
  NotFoundError: "check the arguments; the item may be on another chain or network, or not indexed yet; " +
    "quarry doctor checks the base URL",
  MissingApiKeyError: `store your API key with quarry auth login, set QUARRY_API_KEY, ${sandboxHint}`,
  AuthenticationError:
    "check that the API key is complete and belongs to this service; quarry auth status shows its source",
  PermissionDeniedError: "the API key has no access to this operation; check your plan",
  PlanQuotaExceededError: "renew or upgrade the plan of the API key",
  RateLimitError: "retry later, or request fewer records; exports with --to wait by themselves",
  LocalLimitError: "retry later, or request fewer records",
  ServerError: "retry later, or use --verbose to see each attempt",
  InvalidResponseError: "check that the base URL points to the API; for records of lists, use --skip-invalid",
  PaginationError: "raise --limit if the message says so, or report it to the operator of the service",
  NetworkError: "check the base URL and your network; quarry doctor checks name, connection, TLS and proxy",
  StillSyncingError: "increase --timeout, or omit --wait to read the records indexed so far",
  InputsFailedError: "repeat with --json-errors to get every input that failed as a line of JSON"
}

/** Hints for the limits that end by themselves, or can be raised. */
const localLimitHints: Readonly<Partial<Record<LocalLimitError["limit"], string>>> = {
  rate: "this is the local rate limit (default: 100/s); raise it with QUARRY_RATE_LIMIT",
  daily: "this is the local daily quota; it resets at 00:00 UTC",
  unavailable: "retry later"
}

/** Services accept a cursor only with the parameters of the list that it belongs to. */
const cursorHint = "use a printed cursor with the same options, or omit the cursor to start at the beginning"

/** Returns the message without the name of the operation, which follows from the command. */
const describeError = (error: Exclude<CommandError, SilentError>): string => {
  switch (error._tag) {
    case "ConfigFileError":
      return `${error.file}: ${error.reason}`
    case "InputsFailedError":
      return `${error.failed} of ${error.total} ${error.inputName} failed`
    case "ChecksFailedError":
      return `${error.failed} of ${error.total} checks failed`
    case "MissingApiKeyError":
      return "API key missing"
    case "CommandTimeoutError":
      return `timed out after ${Duration.format(error.timeout)} (--timeout)` +
        (error.isUpdate ? "; the update may have been applied, and repeating it is safe" : "")
    case "StillSyncingError":
      return "the collection is still being indexed (SYNCING)"
    case "InvalidInputError":
      return error.issues.map(({ parameter, reason }) => `--${kebabCase(parameter)}: ${reason}`)
        .join("; ")
    default:
      return "summary" in error ? error.summary : error.reason
  }
}

const lists: ReadonlySet<string | null> = new Set(listOperations)

const hintFor = (error: Exclude<CommandError, SilentError>): string | null => {
  const fix = fixes[error._tag] ?? null
  switch (error._tag) {
    case "UsageError":
    case "FileConflictError":
    case "NotSetError":
    case "ConfigFileError":
    case "OutputError":
    case "ServerStartError":
      return error.hint ?? fix
    case "InputsFailedError":
      return error.inputName === "chains"
        ? error.failed === error.total ? null : "repeat with --chain and the chains that failed"
        : fix
    case "LocalLimitError":
      return localLimitHints[error.limit] ?? fix
    case "RateLimitError":
      return error.retryAfter === null ? fix : null
    case "RequestRejectedError":
      return /cursor/i.test(error.serverMessage ?? "") ? cursorHint : fix
    case "InvalidResponseError":
      return error.kind === "redirect" ? "check the base URL; use the URL that it redirects to" : fix
    case "TimeoutError":
    case "CommandTimeoutError":
      return `increase --timeout${
        lists.has(error.operation) ? ", or request fewer records with --limit" : ""
      }`
    default:
      return fix
  }
}

/** Returns the message and the hint. Sanitizes both, because they may contain text of the response. */
export const formatError = (
  error: Exclude<CommandError, SilentError>
): { readonly message: string; readonly hint: string | null } => {
  const hint = hintFor(error)
  return { message: sanitize(describeError(error)), hint: hint === null ? null : sanitize(hint) }
}

/** An error as `--json-errors` prints it. */
export interface ErrorReport {
  readonly tag: string
  readonly message: string
  readonly hint: string | null
  readonly exitCode: number
  /** Whether the same command may succeed later. */
  readonly retryable: boolean
  /** The ID that the upstream gave the request, if any. */
  readonly requestId: string | null
  /** How many of many inputs failed, and how many were read. */
  readonly failed?: number
  readonly total?: number
}

export const reportOf = (error: Exclude<CommandError, SilentError>): ErrorReport => ({
  tag: error._tag,
  ...formatError(error),
  exitCode: exitCodeOf(error),
  retryable: "retryable" in error && error.retryable,
  requestId: "upstreamRequestId" in error ? error.upstreamRequestId : null,
  ...(error._tag === "InputsFailedError" ? { failed: error.failed, total: error.total } : {}),
  // It says how to get these reports
  ...(error._tag === "InputsFailedError" && error.inputName === "inputs" ? { hint: null } : {})
})
