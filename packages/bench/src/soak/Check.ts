/** Whether an answer is the right one for its question, or a failure that says so. Everything else is wrong. */
import { type Answer, header } from "../Connection.ts"
import type { Question } from "./Question.ts"

/**
 * - `right`: the document that was asked for, every byte of it.
 * - `failed`: a failure of the proxy's own, in its form.
 * - `passed on`: a failure of the service, as the service stated it.
 * - `wrong`: anything else, and failures that nothing here can lead to.
 */
export type Outcome =
  | { readonly is: "right"; readonly cache: string }
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

export const check = (question: Question, answer: Answer): Outcome => {
  const { body, status } = answer
  if (status === 200) {
    return body.equals(Buffer.from(question.answer()))
      ? { is: "right", cache: cacheOf(header(answer, "cache-status")) }
      : wrong(question, answer, "not the document that was asked for")
  }
  const text = body.toString()
  if (text === `{"message":"the service fails with ${status}"}` && status !== 404) {
    return { is: "passed on", name: `${status} of the service` }
  }
  const failure = read(text)
  if (failure === undefined) return wrong(question, answer, "neither the service's nor the proxy's")
  if (codes.get(failure.code) !== status) return wrong(question, answer, "nothing led to this")
  return failure.requestId === header(answer, "x-request-id")
    ? { is: "failed", name: `${status} ${failure.code}` }
    : wrong(question, answer, "the request's id is another in the header")
}

const wrong = ({ target }: Question, { body, head }: Answer, problem: string): Outcome => ({
  is: "wrong",
  problem: `${problem}: ${target} got ${head}${body.toString().slice(0, 300)}`
})

/** What the proxy says of its cache, in one word; `-` where it says nothing. */
export const cacheOf = (header: string | undefined): string => {
  if (header === undefined) return "-"
  if (/;\s*hit/.test(header)) return /stale/.test(header) ? "stale" : "hit"
  return /collapsed/.test(header) ? "shared" : /fwd=([\w-]+)/.exec(header)?.[1] ?? "-"
}

const read = (text: string): { readonly code: string; readonly requestId: string } | undefined => {
  const document = parse(text)
  if (typeof document !== "object" || document === null) return undefined
  const { code, message, requestId } = { code: null, message: null, requestId: null, ...document }
  return typeof code === "string" && typeof requestId === "string" && typeof message === "string" &&
      message !== "" && Object.keys(document).length === 3
    ? { code, requestId }
    : undefined
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
