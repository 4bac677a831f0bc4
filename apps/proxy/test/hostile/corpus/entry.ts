/** Entries of the corpus: bytes to send, allowed responses, and the upstream requests that they cause. */
import { examples } from "../../support/proxy.ts"
import { bytes } from "../rawHttp.ts"

/** What differs between a proxy with clients and one with anonymous access. */
export interface EntryContext {
  /** Header lines that every request needs, each with its line end. */
  readonly required: string
}

export interface CorpusEntry {
  readonly name: string
  readonly bytes: (context: EntryContext) => Buffer
  /**
   * The allowed results: statuses separated by spaces. `live` is the response to a valid request sent after the entry; it
   * shows where the proxy resumes parsing. An empty result means that the connection is closed without a response.
   */
  readonly expectedResponses: ReadonlyArray<string> | ByParser
  /** The request lines that reach the upstream. Default: none. */
  readonly upstreamRequests?: ReadonlyArray<string>
}

/**
 * What is required depends on the version of llhttp, the HTTP parser of Node (`process.versions.llhttp`). Each rule
 * applies from its version up to the next rule, in ascending order.
 */
export interface ByParser {
  readonly llhttp: ReadonlyArray<{ readonly since: string; readonly expected: ReadonlyArray<string> }>
}

/** Returns the responses that an entry allows with a version of llhttp: none if no rule covers the version. */
export const allowed = (
  { expectedResponses }: Pick<CorpusEntry, "expectedResponses">,
  llhttp: string
): ReadonlyArray<string> =>
  "llhttp" in expectedResponses
    ? expectedResponses.llhttp.findLast(({ since }) =>
      since.localeCompare(llhttp, "en", { numeric: true }) <= 0
    )
      ?.expected ?? []
    : expectedResponses

const { stream, wallet } = examples

export const transfers = `/api/v2.2/${wallet}/erc20/transfers`

export const streamStatusPath = `/streams/evm/${stream}/status`

/** A smuggled request: it gets a response only if a parser takes it for a separate request. */
export const inner = ({ required }: EntryContext, target = "/api/v2.2/smuggled"): string =>
  `GET ${target} HTTP/1.1\r\n${required}\r\n`

export interface RequestOptions {
  readonly method?: string
  readonly target?: string
  readonly version?: string
  /** Header lines without line ends. */
  readonly headers?: ReadonlyArray<string>
  readonly body?: string
}

/** Returns a request as unchecked bytes. Adds only the required headers. */
export const request = (
  { body = "", headers = [], method = "GET", target = transfers, version = "HTTP/1.1" }: RequestOptions
) =>
({ required }: EntryContext): Buffer =>
  bytes(
    `${method} ${target} ${version}\r\n${required}${headers.map((one) => `${one}\r\n`).join("")}\r\n${body}`
  )

/** The request is rejected, and the connection is closed. */
export const rejectedAndClosed = ["400"]

/** The request gets one of the statuses, and the connection stays open. */
export const connectionContinues = (...statuses: ReadonlyArray<number>): ReadonlyArray<string> =>
  statuses.map((status) => `${status} live`)

/** Creates an entry for each variant. */
export const family = <A>(
  name: string,
  variants: ReadonlyArray<A>,
  entry: (variant: A) => Omit<CorpusEntry, "name">
): ReadonlyArray<CorpusEntry> =>
  variants.map((variant) => ({ name: `${name}: ${JSON.stringify(variant)}`, ...entry(variant) }))
