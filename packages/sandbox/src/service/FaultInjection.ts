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

const hasNoBody = (status: number): boolean => status === 204 || status === 205 || status === 304

const messageFor = (status: number): string =>
  status === 429
    ? "Too Many Requests"
    : status >= 500
    ? "Service unavailable (injected fault)"
    : `Status ${status} (injected fault)`

const htmlPage =
  "<!doctype html><html><head><title>Just a moment</title></head><body>Please wait</body></html>"

/** What a fault changes in a response. Other kinds prevent the response, or change its page. */
const changes: { readonly [Kind in FaultKind]?: (response: SandboxResponse) => Partial<SandboxResponse> } = {
  "reset": () => ({ transmission: "reset" }),
  "truncate": () => ({ transmission: "truncate" }),
  "stall": () => ({ transmission: "stall" }),
  "bad-json": ({ body }) => ({ body: body.slice(0, body.length / 2) }),
  "html": () => ({ status: 200, headers: { "content-type": "text/html; charset=utf-8" }, body: htmlPage }),
  "empty": () => ({ status: 200, body: "" }),
  "null": () => ({ status: 200, body: "null" }),
  "bom": ({ body }) => ({ body: `\ufeff${body}` })
}

/** Changes a response. */
export const injectFault = (response: SandboxResponse, kind: FaultKind | undefined): SandboxResponse => ({
  ...response,
  ...(kind === undefined ? {} : changes[kind]?.(response))
})
