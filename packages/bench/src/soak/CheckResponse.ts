/** Whether an answer is the right one for its question, or a failure that says so. Everything else is wrong. */
import * as Zlib from "node:zlib"
import { headerOf, type HttpResponse } from "../Connection.ts"
import type { ExpectedResponse } from "./ExpectedResponse.ts"
import { type RequestVariant, unmatchedEtag } from "./RequestVariant.ts"

/**
 * - `right`: the document that was asked for, every byte of it, or word that the client has it.
 * - `failed`: a failure of the proxy's own, in its form.
 * - `passed on`: a failure of the service, as the service stated it.
 * - `wrong`: anything else, and failures that nothing here can lead to.
 */
export type CheckResult =
  | { readonly verdict: "correct"; readonly cache: string; readonly form: string }
  | { readonly verdict: "proxy-error" | "upstream-error"; readonly name: string }
  | { readonly verdict: "incorrect"; readonly problem: string }

/** What may become of a sound request when the service fails, with its status. */
const expectedStatusByCode: ReadonlyMap<unknown, number> = new Map([
  ["rate-limited", 429],
  ["over-budget", 429],
  ["response-invalid", 502],
  ["service-failed", 502],
  ["unreachable", 502],
  ["overloaded", 503],
  ["service-left-alone", 503],
  ["timed-out", 504]
])

export const checkResponse = (
  expected: ExpectedResponse,
  response: HttpResponse,
  variant: RequestVariant = { kind: "plain" }
): CheckResult => {
  const { status } = response
  if (status !== 200 && status !== 304) return checkFailure(expected.target, response)
  const problem = status === 304 ? check304(response, variant) : check200(expected, response, variant)
  return problem === undefined
    ? {
      verdict: "correct",
      cache: cacheResultOf(headerOf(response, "cache-status")),
      form: formatOf(status, variant)
    }
    : incorrect(expected.target, response, problem)
}

/** What is wrong with a document, if anything. */
const check200 = (
  expected: ExpectedResponse,
  response: HttpResponse,
  variant: RequestVariant
): string | undefined => {
  const encoding = headerOf(response, "content-encoding")
  if (encoding !== (variant.kind === "encoded" ? variant.encoding : undefined)) {
    return `the encoding is ${encoding ?? "none"}`
  }
  if (decodeBody(response.body, encoding)?.equals(Buffer.from(expected.body())) !== true) {
    return "not the document that was asked for"
  }
  return variant.kind === "conditional" && variant.tag !== unmatchedEtag
    ? "sent what the client has"
    : undefined
}

/** What is wrong with word that the client has the document, if anything. */
const check304 = (response: HttpResponse, variant: RequestVariant): string | undefined => {
  if (variant.kind !== "conditional" || variant.tag === unmatchedEtag) return "the client has nothing"
  if (headerOf(response, "etag") !== variant.tag) return "another document than that which the client has"
  return response.body.byteLength === 0 ? undefined : "a body where none may be"
}

/** Undefined where it is no such encoding. */
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
  return variant.kind === "encoded" ? variant.encoding : "whole"
}

/** Of an answer that is no success. */
export const checkFailure = (target: string, response: HttpResponse): CheckResult => {
  const { body, status } = response
  const text = body.toString()
  if (text === `{"message":"the service fails with ${status}"}` && status !== 404) {
    return { verdict: "upstream-error", name: `${status} of the service` }
  }
  const proxyError = parseProxyError(parseJson(text))
  if (proxyError === undefined) return incorrect(target, response, "neither the service's nor the proxy's")
  if (expectedStatusByCode.get(proxyError.code) !== status) {
    return incorrect(target, response, "nothing led to this")
  }
  return proxyError.requestId === headerOf(response, "x-request-id")
    ? { verdict: "proxy-error", name: `${status} ${proxyError.code}` }
    : incorrect(target, response, "the request's id is another in the header")
}

/** Whether the service's failures may lead to a code. */
export const isExpectedCode = (code: string): boolean => expectedStatusByCode.has(code)

export const incorrect = (target: string, { body, head }: HttpResponse, problem: string): CheckResult => ({
  verdict: "incorrect",
  problem: `${problem}: ${target} got ${head}${body.toString().slice(0, 300)}`
})

/** What the proxy says of its cache, in one word; `-` where it says nothing. */
export const cacheResultOf = (header: string | undefined): string => {
  if (header === undefined) return "-"
  if (/;\s*hit/.test(header)) return /stale/.test(header) ? "stale" : "hit"
  return /collapsed/.test(header) ? "shared" : /fwd=([\w-]+)/.exec(header)?.[1] ?? "-"
}

/** A failure as the proxy states it; undefined for any other document. */
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

/** Undefined where it is no JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
