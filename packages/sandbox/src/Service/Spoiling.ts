/** How a fault changes an answer. */
import { gzipSync } from "node:zlib"
import type { Fault, Spoil } from "./Fault.ts"
import { type Answer, bytesOf, json } from "./Message.ts"

/** The answer that a fault gives instead of the operation's, or undefined where the operation is asked. */
export const instead = (fault: Fault): Answer | undefined => {
  if (fault.redirect !== undefined) {
    return { status: fault.status ?? 302, headers: { location: fault.redirect }, body: "", ending: "whole" }
  }
  if (fault.status === undefined) return undefined
  const headers: Record<string, string> = fault["retry-after"] === undefined
    ? {}
    : { "retry-after": fault["retry-after"] }
  return hasNoBody(fault.status)
    ? { status: fault.status, headers, body: "", ending: "whole" }
    : json(fault.status, { message: reason(fault.status) }, headers)
}

/** Statuses whose answers carry no body. */
export const hasNoBody = (status: number): boolean => status === 204 || status === 205 || status === 304

const reason = (status: number): string =>
  status === 429
    ? "Too Many Requests"
    : status >= 500
    ? "The service is not available at the moment"
    : `Answered with status ${status} on demand`

const page = "<!doctype html><html><head><title>Just a moment</title></head><body>Please wait</body></html>"

/** An answer as a fault leaves it. */
export const spoil = (answer: Answer, how: Spoil | undefined): Answer => {
  switch (how) {
    case "reset":
    case "reset-body":
    case "truncate":
    case "stall":
      return { ...answer, ending: how }
    case "gzip-truncated": {
      const zipped = gzipSync(bytesOf(answer))
      const cut = new Uint8Array(zipped.subarray(0, Math.floor(zipped.length / 2)))
      return { ...answer, headers: { ...answer.headers, "content-encoding": "gzip" }, body: cut }
    }
    case "bad-json":
      return { ...answer, body: String(answer.body).slice(0, String(answer.body).length / 2) }
    case "html":
      return { ...answer, status: 200, headers: { "content-type": "text/html; charset=utf-8" }, body: page }
    case "empty":
      return { ...answer, status: 200, body: "" }
    case "null":
      return { ...answer, status: 200, body: "null" }
    case "bom":
      return { ...answer, body: `\ufeff${answer.body}` }
    case undefined:
    case "hang":
    case "repeat-cursor":
    case "empty-page":
      return answer
  }
}
