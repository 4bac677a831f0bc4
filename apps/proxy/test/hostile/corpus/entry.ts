/** Entries of the corpus: bytes to send, allowed responses, and the upstream requests that they cause. */
import { examples } from "../../support/proxy.ts"
import { bytes } from "../rawHttp.ts"

/** What differs between a proxy with clients and one with anonymous access. */
export interface EntryContext {
  /** Header lines that every request needs, each with its line end. */
  readonly required: string
}

/** What may happen. */
export interface Outcome {
  /**
   * The allowed results: statuses separated by spaces. `live` is the response to a valid request sent after the entry; it
   * shows where the proxy resumes parsing. An empty result means that the connection is closed without a response.
   */
  readonly expectedResponses: ReadonlyArray<string>
  /** The request lines that reach the upstream. Default: none. */
  readonly upstreamRequests?: ReadonlyArray<string>
}

export interface CorpusEntry extends Outcome {
  readonly name: string
  readonly bytes: (context: EntryContext) => Buffer
}

const { stream, wallet } = examples

export const transfers = `/api/v2.2/${wallet}/erc20/transfers`

export const streamStatusPath = `/streams/evm/${stream}/status`

export interface RequestOptions {
  readonly method?: string
  readonly target?: string
  readonly version?: string
  /** Header lines without line ends. `<length>` stands for the length of the body. */
  readonly headers?: ReadonlyArray<string>
  readonly body?: string | ((context: EntryContext) => string)
}

/** Returns a request as unchecked bytes. Adds only the required headers. */
export const request =
  ({ body, headers = [], method = "GET", target = transfers, version = "HTTP/1.1" }: RequestOptions) =>
  (context: EntryContext): Buffer => {
    const text = typeof body === "function" ? body(context) : body ?? ""
    const lines = headers.map((line) => `${line.replace("<length>", String(text.length))}\r\n`).join("")
    return bytes(`${method} ${target} ${version}\r\n${context.required}${lines}\r\n${text}`)
  }

/** An update of the status of a stream. */
export const update = (
  headers: ReadonlyArray<string>,
  body: RequestOptions["body"],
  target = streamStatusPath
) =>
  request({
    method: "POST",
    target,
    headers: ["Content-Type: application/json", ...headers],
    body: body ?? ""
  })

/** One of the results. */
export const anyOf = (...expectedResponses: ReadonlyArray<string>): Outcome => ({ expectedResponses })

/** The request is rejected, and the connection is closed. */
export const rejected = anyOf("400")

/** The request gets one of the statuses, and the connection stays open. */
export const answered = (...statuses: ReadonlyArray<number>): Outcome =>
  anyOf(...statuses.map((status) => `${status} live`))

/** The request is forwarded with this request line. */
export const forwarded = (line = `GET ${transfers}`): Outcome => ({
  ...answered(200),
  upstreamRequests: [`${line} HTTP/1.1`]
})

export const entry = (name: string, outcome: Outcome, bytes: CorpusEntry["bytes"]): CorpusEntry => ({
  name,
  bytes,
  ...outcome
})

/** Returns an entry for each variant. */
export const family = <A>(
  name: string,
  variants: ReadonlyArray<A>,
  outcome: Outcome | ((variant: A) => Outcome),
  bytes: (variant: A) => CorpusEntry["bytes"]
): ReadonlyArray<CorpusEntry> =>
  variants.map((variant) =>
    entry(
      `${name}: ${JSON.stringify(variant)}`,
      typeof outcome === "function" ? outcome(variant) : outcome,
      bytes(variant)
    )
  )
