/** A request as Node has it, as the proxy sees it. */
import * as Effect from "effect/Effect"
import type * as Http from "node:http"
import type { Request } from "../App.ts"
import * as Body from "../Body.ts"
import type * as Failure from "../Failure.ts"

export const receive = (
  request: Http.IncomingMessage,
  stopping: { readonly announced: boolean; readonly ending: boolean },
  within: number
): Request => ({
  method: request.method ?? "GET",
  target: request.url ?? "/",
  headers: headersOf(request),
  remote: request.socket.remoteAddress ?? "",
  body: (cap) =>
    Effect.timeoutFail(readBody(request, cap), { duration: within, onTimeout: () => Body.tooSlow }),
  draining: stopping.announced,
  ending: () => stopping.ending
})

/**
 * Whether two programs in a row could read it as two different requests: it names two hosts, of which Node keeps the
 * first, or none where it must, or speaks a version that this is not.
 */
export const isDoubtful = ({ httpVersion, rawHeaders }: Http.IncomingMessage): boolean => {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at] ?? "")) hosts += 1
  return httpVersion === "1.1" ? hosts !== 1 : httpVersion !== "1.0" || hosts > 1
}

/** Most names are no longer looked at than that. */
const isHost = (name: string): boolean => name.length === 4 && name.toLowerCase() === "host"

/** Node joins repeated headers with commas, but for `set-cookie`, which no request has. */
const headersOf = ({ headers }: Http.IncomingMessage): Request["headers"] => {
  const single: Record<string, string | undefined> = {}
  for (const name in headers) {
    const value = headers[name]
    if (typeof value === "string") single[name] = value
  }
  return single
}

/** A client that is cut off while it still writes does not read why: what is somewhat too long is read to its end. */
export const patience = 8 * 1024 * 1024

const readBody = (
  request: Http.IncomingMessage,
  cap: number
): Effect.Effect<Uint8Array, Failure.Failure> =>
  Effect.async((resume) => {
    const tooLarge = Effect.fail(Body.tooLarge(cap))
    if (Number(request.headers["content-length"] ?? 0) > patience) return resume(tooLarge)
    const pieces: Array<Uint8Array> = []
    let length = 0
    const take = (piece: Uint8Array) => {
      length += piece.byteLength
      if (length <= cap) pieces.push(piece)
      else if (length > patience) finish(tooLarge)
    }
    const end = () => finish(length > cap ? tooLarge : Effect.succeed(Buffer.concat(pieces)))
    // The connection broke: there is nobody to answer.
    const broken = () => finish(Effect.interrupt)
    const finish = (result: Effect.Effect<Uint8Array, Failure.Failure>) => {
      request.off("data", take).off("end", end).off("error", broken).off("close", broken)
      resume(result)
    }
    request.on("data", take).on("end", end).on("error", broken).on("close", broken)
    return undefined
  })
