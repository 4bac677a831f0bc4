/** What the corpus is made of. */
import { examples } from "../../support/proxy.ts"
import { bytes } from "../rawHttp.ts"

/** What differs between a proxy with clients and an open one. */
export interface EntryContext {
  /** Lines of headers without which no request is taken, each with its end. */
  readonly required: string
}

export interface CorpusEntry {
  readonly name: string
  readonly bytes: (context: EntryContext) => Buffer
  /**
   * What may come back, one of these: statuses, parted by spaces; `live` is the answer to a plain request behind it all,
   * which tells that the connection goes on where it should. An empty one: the connection is closed without a word.
   */
  readonly expectedResponses: ReadonlyArray<string> | ByParser
  /** What reaches the service: request lines. */
  readonly upstreamRequests?: ReadonlyArray<string>
}

/**
 * What is required depends on the version of llhttp, the HTTP parser of Node (`process.versions.llhttp`). Each rule
 * applies from its version up to the next rule, in ascending order.
 */
export interface ByParser {
  readonly llhttp: ReadonlyArray<{ readonly since: string; readonly answers: ReadonlyArray<string> }>
}

/** The answers that an entry allows with a version of llhttp. Without a rule for the version it allows none. */
export const allowed = (
  { expectedResponses }: Pick<CorpusEntry, "expectedResponses">,
  llhttp: string
): ReadonlyArray<string> =>
  "llhttp" in expectedResponses
    ? expectedResponses.llhttp.findLast(({ since }) =>
      since.localeCompare(llhttp, "en", { numeric: true }) <= 0
    )
      ?.answers ?? []
    : expectedResponses

const { stream, wallet } = examples

export const transfers = `/api/v2.2/${wallet}/erc20/transfers`

export const streamStatusPath = `/streams/evm/${stream}/status`

/** A request that would be answered were it one. */
export const inner = ({ required }: EntryContext, target = "/api/v2.2/smuggled"): string =>
  `GET ${target} HTTP/1.1\r\n${required}\r\n`

export interface RequestOptions {
  readonly method?: string
  readonly target?: string
  readonly version?: string
  /** Lines without their ends. */
  readonly headers?: ReadonlyArray<string>
  readonly body?: string
}

/** A request as bytes: nothing is checked, nothing is added but what every request needs. */
export const request = (
  { body = "", headers = [], method = "GET", target = transfers, version = "HTTP/1.1" }: RequestOptions
) =>
({ required }: EntryContext): Buffer =>
  bytes(
    `${method} ${target} ${version}\r\n${required}${headers.map((one) => `${one}\r\n`).join("")}\r\n${body}`
  )

/** It is not taken for a request: refused, and the connection closed. */
export const rejectedAndClosed = ["400"]

/** It is, and answered with a status; the connection goes on. */
export const connectionContinues = (...statuses: ReadonlyArray<number>): ReadonlyArray<string> =>
  statuses.map((status) => `${status} live`)

/** A family of entries: each of some odd things, in its place. */
export const family = <A>(
  of: string,
  odd: ReadonlyArray<A>,
  entry: (one: A) => Omit<CorpusEntry, "name">
): ReadonlyArray<CorpusEntry> => odd.map((one) => ({ name: `${of}: ${JSON.stringify(one)}`, ...entry(one) }))
