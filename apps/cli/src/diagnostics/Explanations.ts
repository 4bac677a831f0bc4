/** What exit codes, error tags and error codes of the proxy mean. The types require an entry for each of them. */
import { type ProxyErrorCode, proxyErrorCodes } from "@blockquarry/core/ProxyErrorCode"
import { closestMatch } from "../args/Suggest.ts"
import {
  type CommandError,
  exitCodes,
  interruptedExitCode,
  unexpectedErrorExitCode
} from "../CommandError.ts"
import { exitStatus } from "../Help.ts"

/** What a topic means, and what to do. */
export interface Explanation {
  readonly topic: string
  readonly kind: "exit code" | "error" | "proxy error code"
  /** The exit code of quarry; null for a code of the proxy. */
  readonly exitCode: number | null
  readonly meaning: string
  /** Null if nothing is to be done, or if the meaning says it. */
  readonly fix: string | null
}

type ErrorTag = CommandError["_tag"]

type ErrorText = readonly [meaning: string, fix: string | null]

const errorTexts: { readonly [T in ErrorTag]: ErrorText } = {
  OutputClosedError: ["The reader of the output closed the pipe, for example head.", null],
  ServerStartError: [
    "The sandbox server cannot listen.",
    "Choose another --port or --host, or stop the program that uses the port."
  ],
  OutputError: [
    "The output cannot be written.",
    "Check free disk space and the permissions of the output file."
  ],
  ConfigFileError: [
    "A configuration file or the file of an API key cannot be read or written.",
    "Check the file and its permissions; quarry doctor shows what is wrong."
  ],
  ChecksFailedError: ["A check of quarry doctor failed.", "Do what the checks say after fix:."],
  UsageError: [
    "The command line, an environment variable or a configuration file is invalid.",
    "The message names what is expected; quarry config list --show-origin shows where values are set."
  ],
  InvalidInputError: [
    "A parameter is missing or invalid. No request was sent.",
    "The message names the parameter and what it accepts."
  ],
  RequestRejectedError: [
    "The service rejected the request (4xx).",
    "Its message is part of the error. Compare the parameters with --help, and see the request with --curl."
  ],
  ExportConflictError: [
    "The files of the export exist already, or belong to another query.",
    "Choose another file, or continue the same query with --resume."
  ],
  NotFoundError: [
    "The service has no such item.",
    "Check the address and --chain. New items and collections may not be indexed yet: see --wait."
  ],
  NotSetError: ["The setting or alias does not exist.", "quarry config list and quarry alias list show all."],
  MissingApiKeyError: [
    "No API key is configured.",
    "Store it with quarry auth login, set QUARRY_API_KEY, or use --sandbox."
  ],
  AuthenticationError: [
    "The service rejected the API key (401).",
    "quarry auth status shows where the key comes from; quarry auth login replaces it."
  ],
  PermissionDeniedError: [
    "The API key has no access to this operation (403).",
    "Check the plan of the key, and that the base URL belongs to it."
  ],
  PlanQuotaExceededError: [
    "The plan of the API key is used up.",
    "Wait until it is renewed, or upgrade the plan."
  ],
  RateLimitError: [
    "The service limits the rate of requests (429), and waiting would take too long.",
    "Retry later, or lower --rate-limit. Exports with --to wait by themselves."
  ],
  LocalLimitError: [
    "A limit of quarry itself is reached; the request was not sent.",
    "Raise --rate-limit, or request fewer records."
  ],
  ServerError: [
    "The service failed (5xx), also after retries.",
    "Retry later; --verbose shows each attempt."
  ],
  InvalidResponseError: [
    "The response is incomplete or is not what the operation returns, for example a page of a proxy.",
    "Check that the base URL points to the API; quarry api prints the response as it is."
  ],
  CircuitOpenError: [
    "The service failed repeatedly, so no requests are sent for a while.",
    "Retry after the time in the message."
  ],
  PaginationError: [
    "The list cannot be continued, because its cursors or blocks are inconsistent.",
    "Use a smaller block range, or larger pages with --limit."
  ],
  NetworkError: [
    "The service cannot be reached, or the connection broke.",
    "quarry doctor checks name, connection, TLS and proxy."
  ],
  TimeoutError: [
    "The service did not respond in time.",
    "Increase --timeout, or request fewer records with --limit."
  ],
  CommandTimeoutError: [
    "The command took longer than --timeout.",
    "Increase --timeout. A list prints how to continue."
  ],
  StillSyncingError: [
    "The collection is still being indexed.",
    "Increase --timeout, or omit --wait to read what is indexed so far."
  ],
  InputsFailedError: [
    "Some of many inputs failed. They are listed before.",
    "Repeat with the inputs that failed."
  ]
}

const errorExplanation = (tag: ErrorTag): Explanation => {
  const [meaning, fix] = errorTexts[tag]
  return { topic: tag, kind: "error", exitCode: exitCodes[tag], meaning, fix }
}

const isErrorTag = (text: string): text is ErrorTag => Object.hasOwn(errorTexts, text)

const errorTags: ReadonlyArray<ErrorTag> = Object.keys(exitCodes).filter(isErrorTag)

const fixesOfOtherExitCodes: Readonly<Record<string, string>> = {
  [unexpectedErrorExitCode]: "If the message says that it is a bug, report it with the output of --verbose.",
  [interruptedExitCode]: "Run the command that the last message shows, to continue."
}

const exitCodeExplanation = ([code, meaning]: readonly [string, string]): Explanation => {
  const tags = errorTags.filter((tag) => String(exitCodes[tag]) === code)
  return {
    topic: code,
    kind: "exit code",
    exitCode: Number(code),
    meaning: `${meaning}.${code === "0" || tags.length === 0 ? "" : ` Errors: ${tags.join(", ")}.`}`,
    fix: fixesOfOtherExitCodes[code] ?? (code === "0" ? null : "quarry explain <error> shows each of them.")
  }
}

const proxyCodes: ReadonlyArray<readonly [string, (typeof proxyErrorCodes)[ProxyErrorCode]]> = Object.entries(
  proxyErrorCodes
)

/** All explanations: exit codes, errors, and codes of the proxy. */
export const explanations: ReadonlyArray<Explanation> = [
  ...exitStatus.map(exitCodeExplanation),
  ...errorTags.map(errorExplanation),
  ...proxyCodes.map(([code, { description, status }]): Explanation => ({
    topic: code,
    kind: "proxy error code",
    exitCode: null,
    meaning: `HTTP ${status}. ${description}`,
    fix: null
  }))
]

/** Returns the explanations of a topic in any case; `Error` may be omitted. An exit code comes with its errors. */
export const explain = (topic: string): ReadonlyArray<Explanation> => {
  const text = topic.trim().toLowerCase()
  const found = explanations.filter((each) => [text, `${text}error`].includes(each.topic.toLowerCase()))
  const [first] = found
  return first?.kind === "exit code" && first.exitCode !== 0
    ? [first, ...explanations.filter(({ exitCode, kind }) => kind === "error" && exitCode === first.exitCode)]
    : found
}

/** Returns the topic that a text may be a misspelling of. */
export const suggestTopic = (text: string): string | undefined =>
  closestMatch(text, explanations.map(({ topic }) => topic))
