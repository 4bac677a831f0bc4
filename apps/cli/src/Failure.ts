/**
 * Failures of a command: what the service and its client say, and a few of the command line's own. Each has an exit
 * code, a line that says what happened and a line that says what to do.
 */
import type { WalkError } from "@blockquarry/core/QueryError"
import type { StillSyncing } from "@blockquarry/http/Synced"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import { kebab } from "./line/Kebab.ts"
import { safe } from "./render/Safe.ts"
import type { OutputClosed, OutputFailed } from "./Screen.ts"

/** The command line cannot be understood. */
export class Usage extends Data.TaggedError("Usage")<{
  readonly problem: string
  readonly hint: string | null
}> {}

/** `--timeout` is over. */
export class TimeLimit extends Data.TaggedError("TimeLimit")<{
  readonly limit: Duration.Duration
  /** Whether the command changes something, and may have done so. */
  readonly changes: boolean
}> {}

/** The sandbox's server does not start. */
export class ServerFailed extends Data.TaggedError("ServerFailed")<{ readonly problem: string }> {}

export type Failure =
  | WalkError
  | Usage
  | TimeLimit
  | StillSyncing
  | ServerFailed
  | OutputFailed
  | OutputClosed

/** What the process ends with. */
export const exitCodes = {
  OutputClosed: 0,
  ServerFailed: 1,
  OutputFailed: 1,
  Usage: 2,
  InvalidRequest: 2,
  BadRequest: 2,
  NotFound: 3,
  KeyRefused: 4,
  PlanExhausted: 4,
  RateLimited: 5,
  ServiceFailed: 6,
  ResponseInvalid: 6,
  WalkBroken: 6,
  Unreachable: 7,
  TimedOut: 7,
  TimeLimit: 7,
  StillSyncing: 7
} as const satisfies Record<Failure["_tag"], number>

/** Of a failure that nobody expected, and of an interruption. */
export const unexpected = 1
export const interrupted = 130

const sandboxHint = "or add --sandbox, which needs neither address nor key"

const flags: Readonly<Record<string, string>> = {
  QUARRY_BASE_URL: "--base-url",
  QUARRY_STREAMS_URL: "--streams-url",
  QUARRY_LEDGER_URL: "--ledger-url",
  QUARRY_LEDGER_TESTNET_URL: "--ledger-testnet-url"
}

/** A setting by its name, a parameter as its option. */
const spelled = (parameter: string): string => /^[A-Z]/.test(parameter) ? parameter : `--${kebab(parameter)}`

/** What may be wrong where the usual suspects, address and chain, are not in question. */
const notFound: Readonly<Record<string, string>> = {
  nftMetadata:
    "check the address, the token id and --chain; where the collection is new to the service, --wait waits for it",
  updateStreamStatus: "check the id of the stream",
  ledgerTransaction: "check the hash, and --network"
}

/** What happened, without the name of the operation: whoever reads it has just typed the command. */
const what = (failure: Exclude<Failure, OutputClosed>): string => {
  switch (failure._tag) {
    case "Usage":
    case "ServerFailed":
    case "OutputFailed":
      return failure.problem
    case "TimeLimit":
      return `not finished within ${Duration.format(failure.limit)} (--timeout)` +
        (failure.changes ? "; the update may have taken effect, and to repeat it does no harm" : "")
    case "StillSyncing":
      return "the collection is still being indexed"
    case "InvalidRequest":
      return failure.issues.map(({ parameter, problem }) => `${spelled(parameter)}: ${problem}`).join("; ")
    default:
      return failure.message.slice(failure.operation.length + 2)
  }
}

const whatToDo = (failure: Exclude<Failure, OutputClosed>): string | null => {
  switch (failure._tag) {
    case "Usage":
      return failure.hint
    case "ServerFailed":
      return "choose another address with --host and --port"
    case "OutputFailed":
      return "is there room where the output goes?"
    case "InvalidRequest": {
      const [{ parameter }] = failure.issues
      if (parameter === "QUARRY_API_KEY") return "set it to the key alone, without anything around it"
      const flag = flags[parameter]
      return flag === undefined ? null : `set ${parameter} or give ${flag} <url>, ${sandboxHint}`
    }
    case "BadRequest":
      return "the parameters are well-formed, but the service does not take them; see --help"
    case "NotFound":
      return notFound[failure.operation] ??
        "check the address and --chain; what is new may not be indexed yet"
    case "KeyRefused":
      return failure.status === null
        ? `set QUARRY_API_KEY to your key, ${sandboxHint}`
        : "check QUARRY_API_KEY: is it whole, and is it a key of this service?"
    case "PlanExhausted":
      return "waiting does not help: the plan has to be renewed or raised"
    case "RateLimited":
      if (failure.limit === "rate") {
        return "this limit is your own, 100/s where nothing is said: QUARRY_RATE_LIMIT raises it"
      }
      if (failure.limit === "day") return "this limit is your own: wait for the next day of UTC, or raise it"
      return failure.retryAfter === null ? "wait a little, or ask for less" : null
    case "ServiceFailed":
      if (failure.status === null) return null
      return failure.status < 400
        ? "is the base address right? Give the one that it redirects to"
        : "this is not your fault; try again later, with --verbose to see the attempts"
    case "ResponseInvalid":
      return "is the base address the service's? --verbose shows what was asked"
    case "WalkBroken":
      return "ask for a smaller range, or for larger pages with --limit"
    case "Unreachable":
      return "check the address and the network; --verbose shows what was asked"
    case "StillSyncing":
      return "wait longer with --timeout, or read what there is without --wait"
    case "TimedOut":
    case "TimeLimit":
      return "give more time with --timeout, or ask for less with --limit"
  }
}

/** What happened, and what to do about it. Both may repeat what a service said, so both are made safe. */
export const describe = (
  failure: Exclude<Failure, OutputClosed>
): { readonly what: string; readonly hint: string | null } => {
  const hint = whatToDo(failure)
  return { what: safe(what(failure)), hint: hint === null ? null : safe(hint) }
}
