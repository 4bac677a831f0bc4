/** Checks that a response is correct, or is an expected error. */
import * as Zlib from "node:zlib"
import { headerOf, type HttpResponse } from "../Connection.ts"
import type { ExpectedResponse } from "./ExpectedResponse.ts"
import { type RequestVariant, unmatchedEtag } from "./RequestVariant.ts"

/**
 * - `correct`: the requested document, byte for byte, or 304 if the client has it.
 * - `proxy-error`: an error of the proxy in its format.
 * - `upstream-error`: an error of the upstream, forwarded unchanged.
 * - `incorrect`: anything else, including errors that cannot be caused by the injected faults.
 */
export type CheckResult =
  | { readonly verdict: "correct"; readonly cache: string; readonly form: string }
  | { readonly verdict: "proxy-error" | "upstream-error"; readonly name: string }
  | { readonly verdict: "incorrect"; readonly reason: string }

/** The failure codes that injected faults may cause, with their statuses. */
const expectedStatusByCode: ReadonlyMap<unknown, number> = new Map([
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

export const checkResponse = (
  expected: ExpectedResponse,
  response: HttpResponse,
  variant: RequestVariant = { kind: "plain" }
): CheckResult => {
  const { status } = response
  if (status !== 200 && status !== 304) return checkFailure(expected.target, response)
  const reason = status === 304 ? check304(response, variant) : check200(expected, response, variant)
  return reason === undefined
    ? {
      verdict: "correct",
      cache: cacheResultOf(headerOf(response, "cache-status")),
      form: formatOf(status, variant)
    }
    : incorrect(expected.target, response, reason)
}

/** Returns what is wrong with a response with status 200, if anything. */
const check200 = (
  expected: ExpectedResponse,
  response: HttpResponse,
  variant: RequestVariant
): string | undefined => {
  const encoding = headerOf(response, "content-encoding")
  if (encoding !== (variant.kind === "encoded" ? variant.encoding : undefined)) {
    return `unexpected content-encoding ${encoding ?? "none"}`
  }
  if (decodeBody(response.body, encoding)?.equals(Buffer.from(expected.body())) !== true) {
    return "wrong document"
  }
  return variant.kind === "conditional" && variant.tag !== unmatchedEtag
    ? "200 although the entity tag matches"
    : undefined
}

/** Returns what is wrong with a response with status 304, if anything. */
const check304 = (response: HttpResponse, variant: RequestVariant): string | undefined => {
  if (variant.kind !== "conditional" || variant.tag === unmatchedEtag) {
    return "304 although the client has no cached response"
  }
  if (headerOf(response, "etag") !== variant.tag) return "304 with another entity tag"
  return response.body.byteLength === 0 ? undefined : "304 with a body"
}

/** Returns undefined if the body does not have the encoding. */
const decodeBody = (body: Buffer, encoding: string | undefined): Buffer | undefined => {
  try {
    if (encoding === "gzip") return Zlib.gunzipSync(body)
    return encoding === "br" ? Zlib.brotliDecompressSync(body) : body
  } catch {
    return undefined
  }
}

const formatOf = (status: number, variant: RequestVariant): string => {
  if (status === 304) return "not modified"
  return variant.kind === "encoded" ? variant.encoding : "complete"
}

/** Checks a response that is neither 200 nor 304. */
export const checkFailure = (target: string, response: HttpResponse): CheckResult => {
  const { body, status } = response
  const text = body.toString()
  if (text === `{"message":"injected failure: ${status}"}` && status !== 404) {
    return { verdict: "upstream-error", name: `${status} from the upstream` }
  }
  const proxyError = parseProxyError(parseJson(text))
  if (proxyError === undefined) return incorrect(target, response, "neither an upstream nor a proxy error")
  if (expectedStatusByCode.get(proxyError.code) !== status) {
    return incorrect(target, response, "unexpected failure code")
  }
  return proxyError.requestId === headerOf(response, "x-request-id")
    ? { verdict: "proxy-error", name: `${status} ${proxyError.code}` }
    : incorrect(target, response, "requestId differs from x-request-id")
}

/** Returns whether injected faults may cause a failure code. */
export const isExpectedCode = (code: string): boolean => expectedStatusByCode.has(code)

export const incorrect = (target: string, { body, head }: HttpResponse, reason: string): CheckResult => ({
  verdict: "incorrect",
  reason: `${reason}: ${target} got ${head}${body.toString().slice(0, 300)}`
})

/** Returns the cache result in a `cache-status` header; `-` without a header. */
export const cacheResultOf = (header: string | undefined): string => {
  if (header === undefined) return "-"
  if (/;\s*hit/.test(header)) return /stale/.test(header) ? "stale" : "hit"
  return /collapsed/.test(header) ? "coalesced" : /fwd=([\w-]+)/.exec(header)?.[1] ?? "-"
}

/** Parses an error of the proxy. Returns undefined for other documents. */
export const parseProxyError = (
  document: unknown
): { readonly code: string; readonly requestId: string } | undefined => {
  if (typeof document !== "object" || document === null) return undefined
  const { code, message, requestId } = { code: null, message: null, requestId: null, ...document }
  return typeof code === "string" && typeof requestId === "string" && typeof message === "string" &&
      message !== "" && Object.keys(document).length === 3
    ? { code, requestId }
    : undefined
}

/** Returns undefined if the string is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
