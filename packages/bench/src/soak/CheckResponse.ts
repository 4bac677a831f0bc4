/** Checks that a response is correct, or is an expected error. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Zlib from "node:zlib"
import type { Response } from "../Load.ts"

/** What a request asks for: a document in an encoding, or only if it does not have the entity tag. */
export interface Variant {
  readonly encoding?: Encoding
  readonly tag?: string
}

/** Encodings that all Node versions decode. */
export const encodings = ["gzip", "br"] as const

type Encoding = (typeof encodings)[number]

/** An entity tag that no response has. */
export const unmatchedTag = "W/\"unmatched\""

/** The kinds of correct responses. A soak test must receive each of them. */
export const responseForms: ReadonlyArray<string> = ["complete", ...encodings, "not modified", "list"]

/**
 * - `correct`: the requested document, byte for byte, 304 if the client has it, or the requested list.
 * - `error`: an error of the proxy in its format, or an error of the upstream, forwarded unchanged.
 * - `incorrect`: anything else, including errors that cannot be caused by the injected faults.
 */
export type CheckResult =
  | { readonly verdict: "correct"; readonly cache: string; readonly form: string }
  | { readonly verdict: "error"; readonly name: string }
  | { readonly verdict: "incorrect"; readonly reason: string }

const incorrect = (reason: string): CheckResult => ({ verdict: "incorrect", reason })

/** Checks a response to a request for `document`. */
export const checkDocument = (document: string, response: Response, variant: Variant = {}): CheckResult => {
  const { status } = response
  if (status !== 200 && status !== 304) return checkFailure(response)
  const reason = status === 304 ? check304(response, variant) : check200(document, response, variant)
  return reason === undefined
    ? {
      verdict: "correct",
      cache: cacheResultOf(headerOf(response, "cache-status")),
      form: status === 304 ? "not modified" : variant.encoding ?? "complete"
    }
    : incorrect(reason)
}

const headerOf = ({ headers }: Response, name: string): string => String(headers[name] ?? "")

/** Returns what is wrong with a response with status 200, if anything. */
const check200 = (document: string, response: Response, { encoding, tag }: Variant) => {
  const received = headerOf(response, "content-encoding")
  if (received !== (encoding ?? "")) return `unexpected content-encoding ${received}`
  if (!decodeBody(response.body, encoding).equals(Buffer.from(document))) return "wrong document"
  return tag === undefined || tag === unmatchedTag ? undefined : "200 although the entity tag matches"
}

/** Returns what is wrong with a response with status 304, if anything. */
const check304 = (response: Response, { tag }: Variant) => {
  if (tag === undefined || tag === unmatchedTag) return "304 although the client has no cached response"
  if (headerOf(response, "etag") !== tag) return "304 with another entity tag"
  return response.body.byteLength === 0 ? undefined : "304 with a body"
}

/** Returns the body as it is if it does not have the encoding. */
const decodeBody = (body: Buffer, encoding: Encoding | undefined): Buffer => {
  try {
    if (encoding === "gzip") return Zlib.gunzipSync(body)
    return encoding === "br" ? Zlib.brotliDecompressSync(body) : body
  } catch {
    return body
  }
}

/** Returns the cache result in a `cache-status` header; `-` without a header. */
export const cacheResultOf = (header: string): string => {
  if (/;\s*hit/.test(header)) return /stale/.test(header) ? "stale" : "hit"
  return /collapsed/.test(header) ? "coalesced" : /fwd=([\w-]+)/.exec(header)?.[1] ?? "-"
}

/** The failure codes that injected faults may cause, with their statuses. */
const expectedStatusByCode: ReadonlyMap<string, number> = new Map([
  ["client-quota-exceeded", 429],
  ["client-rate-limited", 429],
  ["upstream-local-limit", 429],
  ["upstream-rate-limited", 429],
  ["upstream-invalid-response", 502],
  ["upstream-error", 502],
  ["upstream-unreachable", 502],
  ["circuit-open", 503],
  ["upstream-timeout", 504]
])

const ProxyError = Schema.Struct({
  code: Schema.String,
  message: Schema.NonEmptyString,
  requestId: Schema.String
})

const exact = { onExcessProperty: "error" } as const

const parseProxyError = Schema.decodeUnknownOption(Schema.parseJson(ProxyError), exact)

/** Checks a response that is neither 200 nor 304. */
const checkFailure = (response: Response): CheckResult => {
  const { body, status } = response
  const text = body.toString()
  if (text === `{"message":"injected failure: ${status}"}` && status !== 404) {
    return { verdict: "error", name: `${status} from the upstream` }
  }
  const proxyError = Option.getOrUndefined(parseProxyError(text))
  if (proxyError === undefined) return incorrect("neither an upstream nor a proxy error")
  if (expectedStatusByCode.get(proxyError.code) !== status) return incorrect("unexpected failure code")
  return checkRequestId(proxyError, response) ?? { verdict: "error", name: `${status} ${proxyError.code}` }
}

const checkRequestId = ({ requestId }: typeof ProxyError.Type, response: Response) =>
  requestId === headerOf(response, "x-request-id")
    ? undefined
    : incorrect("requestId differs from x-request-id")

export interface ExpectedPage {
  /** JSON, without line breaks. */
  readonly records: ReadonlyArray<string>
  /** The cursor of the next page. */
  readonly cursor: string | undefined
}

/** The last line of a list: that it is complete, or why it is not and where it continues. */
const parseLastLine = Schema.decodeUnknownOption(
  Schema.parseJson(Schema.Union(
    Schema.Struct({ end: Schema.Struct({ records: Schema.Number }) }),
    Schema.Struct({ failure: ProxyError, cursor: Schema.NullOr(Schema.String) })
  )),
  exact
)

/**
 * Checks a streamed list: all records in order, and a last line with the end reason. A failed list consists of complete
 * pages, and its last line has the cursor of the next page.
 */
export const checkList = (pages: ReadonlyArray<ExpectedPage>, response: Response): CheckResult => {
  if (response.status !== 200) return checkFailure(response)
  if (!/^application\/x-ndjson\b/.test(headerOf(response, "content-type"))) return incorrect("not NDJSON")
  const lines = response.body.toString().split("\n")
  // Every line ends with a line break, so the last element is empty
  if (lines.pop() !== "") return incorrect("last line truncated")
  const last = Option.getOrUndefined(parseLastLine(lines.pop()))
  if (last === undefined) return incorrect("last line has no end reason")
  const received = lines.join()
  const count = pages.findIndex((_, index) => recordsOf(pages.slice(0, index + 1)).join() === received) + 1
  if (count === 0) return incorrect("wrong records")
  if ("end" in last) {
    return count === pages.length && last.end.records === lines.length
      ? { verdict: "correct", cache: "list", form: "list" }
      : incorrect("list ended early")
  }
  const { cursor, failure } = last
  if (!expectedStatusByCode.has(failure.code)) return incorrect("unexpected failure code")
  if (cursor === null || cursor !== pages[count - 1]?.cursor) {
    return incorrect("cursor does not point to the next page")
  }
  return checkRequestId(failure, response) ?? { verdict: "error", name: `list failed: ${failure.code}` }
}

const recordsOf = (pages: ReadonlyArray<ExpectedPage>) => pages.flatMap(({ records }) => records)
