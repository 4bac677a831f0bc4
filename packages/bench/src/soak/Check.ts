/** Whether an answer is the right one for its question, or a failure that says so. Everything else is wrong. */
import * as Zlib from "node:zlib"
import { type Answer, header } from "../Connection.ts"
import { type Manner, nobodysTag } from "./Manner.ts"
import type { Question } from "./Question.ts"

/**
 * - `right`: the document that was asked for, every byte of it, or word that the client has it.
 * - `failed`: a failure of the proxy's own, in its form.
 * - `passed on`: a failure of the service, as the service stated it.
 * - `wrong`: anything else, and failures that nothing here can lead to.
 */
export type Outcome =
  | { readonly is: "right"; readonly cache: string; readonly form: string }
  | { readonly is: "failed" | "passed on"; readonly name: string }
  | { readonly is: "wrong"; readonly problem: string }

/** What may become of a sound request when the service fails, with its status. */
const codes: ReadonlyMap<unknown, number> = new Map([
  ["rate-limited", 429],
  ["over-budget", 429],
  ["response-invalid", 502],
  ["service-failed", 502],
  ["unreachable", 502],
  ["overloaded", 503],
  ["service-left-alone", 503],
  ["timed-out", 504]
])

export const check = (question: Question, answer: Answer, manner: Manner = { as: "plain" }): Outcome => {
  const { status } = answer
  if (status !== 200 && status !== 304) return checkFailure(question.target, answer)
  const problem = status === 304 ? not304(answer, manner) : not200(question, answer, manner)
  return problem === undefined
    ? { is: "right", cache: cacheOf(header(answer, "cache-status")), form: formOf(status, manner) }
    : wrong(question.target, answer, problem)
}

/** What is wrong with a document, if anything. */
const not200 = (question: Question, answer: Answer, manner: Manner): string | undefined => {
  const encoding = header(answer, "content-encoding")
  if (encoding !== (manner.as === "encoded" ? manner.encoding : undefined)) {
    return `the encoding is ${encoding ?? "none"}`
  }
  if (decoded(answer.body, encoding)?.equals(Buffer.from(question.answer())) !== true) {
    return "not the document that was asked for"
  }
  return manner.as === "conditional" && manner.tag !== nobodysTag ? "sent what the client has" : undefined
}

/** What is wrong with word that the client has the document, if anything. */
const not304 = (answer: Answer, manner: Manner): string | undefined => {
  if (manner.as !== "conditional" || manner.tag === nobodysTag) return "the client has nothing"
  if (header(answer, "etag") !== manner.tag) return "another document than that which the client has"
  return answer.body.byteLength === 0 ? undefined : "a body where none may be"
}

/** Undefined where it is no such encoding. */
const decoded = (body: Buffer, encoding: string | undefined): Buffer | undefined => {
  try {
    if (encoding === "gzip") return Zlib.gunzipSync(body)
    return encoding === "br" ? Zlib.brotliDecompressSync(body) : body
  } catch {
    return undefined
  }
}

const formOf = (status: number, manner: Manner): string => {
  if (status === 304) return "not modified"
  return manner.as === "encoded" ? manner.encoding : "whole"
}

/** Of an answer that is no success. */
export const checkFailure = (target: string, answer: Answer): Outcome => {
  const { body, status } = answer
  const text = body.toString()
  if (text === `{"message":"the service fails with ${status}"}` && status !== 404) {
    return { is: "passed on", name: `${status} of the service` }
  }
  const failure = failureOf(parse(text))
  if (failure === undefined) return wrong(target, answer, "neither the service's nor the proxy's")
  if (codes.get(failure.code) !== status) return wrong(target, answer, "nothing led to this")
  return failure.requestId === header(answer, "x-request-id")
    ? { is: "failed", name: `${status} ${failure.code}` }
    : wrong(target, answer, "the request's id is another in the header")
}

/** Whether the service's failures may lead to a code. */
export const isExpected = (code: string): boolean => codes.has(code)

export const wrong = (target: string, { body, head }: Answer, problem: string): Outcome => ({
  is: "wrong",
  problem: `${problem}: ${target} got ${head}${body.toString().slice(0, 300)}`
})

/** What the proxy says of its cache, in one word; `-` where it says nothing. */
export const cacheOf = (header: string | undefined): string => {
  if (header === undefined) return "-"
  if (/;\s*hit/.test(header)) return /stale/.test(header) ? "stale" : "hit"
  return /collapsed/.test(header) ? "shared" : /fwd=([\w-]+)/.exec(header)?.[1] ?? "-"
}

/** A failure as the proxy states it; undefined for any other document. */
export const failureOf = (
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
export const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
