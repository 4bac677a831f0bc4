/** Changes responses according to faults. */
import type { Fault, FaultKind } from "./Fault.ts"
import { jsonResponse, type SandboxResponse } from "./HttpMessage.ts"

/** Returns the response that replaces the one of the operation, or undefined if the fault does not replace it. */
export const replacementResponse = (fault: Fault): SandboxResponse | undefined => {
  const { redirect, "retry-after": retryAfter, status } = fault
  const empty = (status: number, headers: SandboxResponse["headers"]): SandboxResponse => ({
    status,
    headers,
    body: "",
    transmission: "complete"
  })
  if (redirect !== undefined) return empty(status ?? 302, { location: redirect })
  if (status === undefined) return undefined
  const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter }
  return hasNoBody(status)
    ? empty(status, headers)
    : jsonResponse(status, { message: messageFor(status) }, headers)
}

/** Returns whether responses with a status have no body. */
export const hasNoBody = (status: number): boolean => status === 204 || status === 205 || status === 304

const messageFor = (status: number): string =>
  status === 429
    ? "Too Many Requests"
    : status >= 500
    ? "Service unavailable (injected fault)"
    : `Status ${status} (injected fault)`

const htmlPage =
  "<!doctype html><html><head><title>Just a moment</title></head><body>Please wait</body></html>"

/** Changes a response. */
export const injectFault = (response: SandboxResponse, kind: FaultKind | undefined): SandboxResponse => {
  switch (kind) {
    case "reset":
    case "reset-body":
    case "truncate":
    case "stall":
      return { ...response, transmission: kind }
    case "gzip-truncated":
      return { ...response, headers: { ...response.headers, "content-encoding": "gzip" }, transmission: kind }
    case "bad-json":
      return { ...response, body: response.body.slice(0, response.body.length / 2) }
    case "html": {
      const headers = { "content-type": "text/html; charset=utf-8" }
      return { ...response, status: 200, headers, body: htmlPage }
    }
    case "empty":
      return { ...response, status: 200, body: "" }
    case "null":
      return { ...response, status: 200, body: "null" }
    case "bom":
      return { ...response, body: `\ufeff${response.body}` }
    case undefined:
    case "hang":
    case "repeat-cursor":
    case "empty-page":
      return response
  }
}
