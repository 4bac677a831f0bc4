/** What exit codes, error tags and error codes of the proxy mean. The types require an entry for each of them. */
import { closestMatch } from "../args/Suggest.ts"
import {
  type CommandError,
  exitCodes,
  fixes,
  signalExitCodes,
  unexpectedErrorExitCode
} from "../errors/CommandError.ts"
import { exitStatus } from "../help/Help.ts"
import { proxyErrorCodes } from "./ProxyErrorCodes.ts"

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

const meanings: { readonly [T in ErrorTag]: string } = {
  OutputClosedError: "The reader of the output closed the pipe, for example head.",
  ServerStartError: "The sandbox server cannot listen.",
  OutputError: "The output cannot be written.",
  ConfigFileError: "A configuration file or the file of an API key cannot be read or written.",
  ChecksFailedError: "A check of quarry doctor failed.",
  UsageError: "The command line, an environment variable or a configuration file is invalid.",
  InvalidInputError: "A parameter is missing or invalid. No request was sent.",
  RequestRejectedError: "The service rejected the request (4xx). Its message is part of the error.",
  FileConflictError: "A file exists already, belongs to another query, or another process writes it.",
  NotFoundError: "The service has no such item, or the path of the base URL is wrong (404).",
  NotSetError: "The setting or alias does not exist.",
  MissingApiKeyError: "No API key is configured.",
  AuthenticationError: "The service rejected the API key (401).",
  PermissionDeniedError: "The service denies the API key this operation (403).",
  PlanQuotaExceededError: "The plan of the API key is used up.",
  RateLimitError: "The service limits the rate of requests (429), and waiting would take too long.",
  LocalLimitError: "A limit of quarry itself is reached, for example --rate-limit. The request was not sent.",
  ServerError: "The service failed (5xx), also after retries.",
  InvalidResponseError:
    "The response is incomplete or is not what the operation returns, for example a page of a proxy.",
  CircuitOpenError: "The service failed repeatedly, so no requests are sent for a while.",
  PaginationError: "The list cannot be continued, because its cursors or blocks are inconsistent.",
  NetworkError: "The service or the proxy before it cannot be reached, or the connection broke.",
  TimeoutError: "The service did not respond in time.",
  CommandTimeoutError: "The command took longer than --timeout.",
  StillSyncingError: "The collection is still being indexed.",
  InputsFailedError: "Some of many inputs failed. They are listed before.",
  FalseResultError: "The last result of --jq is false or null, and --exit-status is set.",
  NoResultError: "--jq has no result, and --exit-status is set."
}

const errorExplanation = (tag: ErrorTag): Explanation => ({
  topic: tag,
  kind: "error",
  exitCode: exitCodes[tag],
  meaning: meanings[tag],
  fix: fixes[tag]
})

const isErrorTag = (text: string): text is ErrorTag => Object.hasOwn(meanings, text)

const errorTags: ReadonlyArray<ErrorTag> = Object.keys(exitCodes).filter(isErrorTag)

const fixOfSignal = "run the command that the last message shows, to continue"

const fixesOfOtherExitCodes: Readonly<Record<string, string>> = {
  [unexpectedErrorExitCode]: "if the message says that it is a bug, report it with the output of --verbose",
  [signalExitCodes.SIGHUP]: fixOfSignal,
  [signalExitCodes.SIGINT]: fixOfSignal,
  [signalExitCodes.SIGTERM]: fixOfSignal
}

const exitCodeExplanation = ([code, meaning]: readonly [string, string]): Explanation => {
  const tags = errorTags.filter((tag) => String(exitCodes[tag]) === code)
  return {
    topic: code,
    kind: "exit code",
    exitCode: Number(code),
    meaning: `${meaning}.${code === "0" || tags.length === 0 ? "" : ` Errors: ${tags.join(", ")}.`}`,
    fix: fixesOfOtherExitCodes[code] ?? (code === "0" ? null : "quarry explain <error> shows each of them")
  }
}

export const explanations: ReadonlyArray<Explanation> = [
  ...exitStatus.map(exitCodeExplanation),
  ...errorTags.map(errorExplanation),
  ...Object.entries(proxyErrorCodes).map(([topic, meaning]): Explanation => ({
    topic,
    kind: "proxy error code",
    exitCode: null,
    meaning,
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

export const suggestTopic = (text: string): string | undefined =>
  closestMatch(text, explanations.map(({ topic }) => topic))
