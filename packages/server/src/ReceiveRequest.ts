/** Converts a request of Node. */
import * as Effect from "effect/Effect"
import type * as Http from "node:http"
import { type BodyError, BodyTooLargeError, BodyTooSlowError, type HttpRequest } from "./HttpRequest.ts"

export const toHttpRequest = (
  request: Http.IncomingMessage,
  shutdownState: { readonly started: boolean; readonly streamsShouldEnd: boolean },
  bodyTimeoutMs: number,
  isTrustedPeer: (address: string) => boolean
): HttpRequest => ({
  method: request.method ?? "GET",
  ...addresseeOf(request, isTrustedPeer),
  remoteAddress: request.socket.remoteAddress ?? "",
  body: (maxBytes) =>
    Effect.timeoutFail(readBody(request, maxBytes), {
      duration: bodyTimeoutMs,
      onTimeout: () => new BodyTooSlowError()
    }),
  shuttingDown: shutdownState.started,
  shouldEndStreams: () => shutdownState.streamsShouldEnd
})

/**
 * The authority of a target in absolute form replaces `Host` (RFC 9112, section 3.2.2). A target with another scheme, or an
 * authority that `Host` cannot have, stays as it is. The server has no TLS, so that `https` is right only if a trusted peer, which
 * may end TLS, forwards the request (RFC 9110, section 7.4).
 */
const addresseeOf = (
  { headers, method, socket, url = "/" }: Http.IncomingMessage,
  isTrustedPeer: (address: string) => boolean
): Pick<HttpRequest, "headers" | "target"> => {
  const received = { target: url, headers: headersOf(headers) }
  if (url.startsWith("/")) return received
  const [, secure, host, rest = ""] = absoluteForm.exec(url) ?? []
  if (host === undefined || secure !== "" && !isTrustedPeer(socket.remoteAddress ?? "")) return received
  const target = rest === "" && method === "OPTIONS" ? "*" : rest.startsWith("/") ? rest : `/${rest}`
  return { target, headers: { ...received.headers, host } }
}

const absoluteForm =
  /^http(s?):\/\/((?:(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+|\[[\da-f:.]+\])(?::\d*)?)([/?].*)?$/i

/**
 * Whether two HTTP implementations could interpret the request differently: it has several `Host` headers, of which Node
 * keeps the first, none although HTTP/1.1 requires one, or an unsupported HTTP version.
 */
export const isAmbiguous = ({ httpVersion, rawHeaders }: Http.IncomingMessage): boolean => {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (isHost(rawHeaders[index] ?? "")) hosts += 1
  }
  return httpVersion === "1.1" ? hosts !== 1 : httpVersion !== "1.0" || hosts > 1
}

/** Compares the length first, which rules out most headers. */
const isHost = (name: string): boolean => name.length === 4 && name.toLowerCase() === "host"

/** Node joins repeated headers with commas, except `set-cookie`, which requests do not contain. It is omitted. */
const headersOf = (headers: Http.IncomingHttpHeaders): HttpRequest["headers"] => {
  if (hasSingleValues(headers)) return headers
  const { "set-cookie": _, ...others } = headers
  return headersOf(others)
}

const hasSingleValues = (headers: Http.IncomingHttpHeaders): headers is Record<string, string | undefined> =>
  headers["set-cookie"] === undefined

/**
 * A body that exceeds the limit is still read up to this size: a client that is disconnected while it writes does not read
 * the error response.
 */
export const maxDiscardedBytes = 8 * 1024 * 1024

const readBody = (
  request: Http.IncomingMessage,
  maxBytes: number
): Effect.Effect<Uint8Array, BodyError> =>
  Effect.async((resume) => {
    const tooLarge = Effect.fail(new BodyTooLargeError({ maxBytes }))
    if (Number(request.headers["content-length"] ?? 0) > maxDiscardedBytes) return resume(tooLarge)
    const chunks: Array<Uint8Array> = []
    let length = 0
    const onData = (chunk: Uint8Array) => {
      length += chunk.byteLength
      if (length <= maxBytes) chunks.push(chunk)
      else if (length > maxDiscardedBytes) finish(tooLarge)
    }
    const onEnd = () => finish(length > maxBytes ? tooLarge : Effect.succeed(Buffer.concat(chunks)))
    // The connection is closed, so a response is impossible.
    const onClose = () => finish(Effect.interrupt)
    const finish = (result: Effect.Effect<Uint8Array, BodyError>) => {
      request.off("data", onData).off("end", onEnd).off("error", onClose).off("close", onClose)
      resume(result)
    }
    request.on("data", onData).on("end", onEnd).on("error", onClose).on("close", onClose)
    return undefined
  })
