/** A closed-loop load generator: a number of connections, each with one request in flight. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { setTimeout } from "node:timers/promises"
import { Client } from "undici"

export interface Request {
  /** Path and query. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  /** The client disconnects so many milliseconds after the request, possibly in the middle of the response. */
  readonly disconnectAfter?: number
}

export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: Buffer
}

/** The connection closed before the end of a response. */
export class TruncatedError extends Data.TaggedError("TruncatedError")<{ readonly response: Response }> {}

/**
 * Connects if necessary, and sends a GET request. Returns an error if the connection closes before the response ends.
 * `dispatch` takes so little CPU time that it hardly affects measurements.
 */
const get = (client: Client, { headers, target }: Request): Promise<Response | Error> =>
  new Promise((resolve) => {
    let head: Omit<Response, "body"> = { status: 0, headers: {} }
    const chunks: Array<Buffer> = []
    client.dispatch(
      { method: "GET", path: target, headers: { accept: "application/json", ...headers } },
      {
        onRequestStart: () => {},
        onResponseStart: (_, status, headers) => {
          head = { status, headers }
        },
        onResponseData: (_, chunk) => void chunks.push(chunk),
        onResponseEnd: () => resolve({ ...head, body: Buffer.concat(chunks) }),
        onResponseError: (_, error) => {
          const response = { ...head, body: Buffer.concat(chunks) }
          resolve(head.status === 0 ? error : new TruncatedError({ response }))
        }
      }
    )
  })

/** Describes a response in messages. */
export const describe = (response: Response | Error): string =>
  response instanceof Error
    ? String(response)
    : `${response.status} ${JSON.stringify(response.headers)} ${response.body.toString().slice(0, 300)}`

export interface LoadOptions<R extends Request> {
  readonly port: number
  readonly connections: number
  /** `connection` is a number from 0. */
  readonly next: (connection: number) => R
  readonly onResponse: (response: Response | Error, milliseconds: number, request: R) => void
}

/** Sends `count` requests. */
export const send = <R extends Request>(
  { connections, next, onResponse, port }: LoadOptions<R>,
  count: number
): Effect.Effect<void> =>
  Effect.promise(async () => {
    let remaining = count
    const open = () => new Client(`http://127.0.0.1:${port}`, { bodyTimeout: 0, headersTimeout: 0 })
    const sendUntilDone = async (connection: number) => {
      let client = open()
      while (remaining > 0) {
        remaining -= 1
        const request = next(connection)
        const startedAt = performance.now()
        const response = get(client, request)
        if (request.disconnectAfter !== undefined) {
          await Promise.race([response, setTimeout(request.disconnectAfter)])
          void client.destroy()
          client = open()
        }
        onResponse(await response, performance.now() - startedAt, request)
      }
      void client.destroy()
    }
    await Promise.all(
      Array.from({ length: Math.min(connections, count) }, (_, index) => sendUntilDone(index))
    )
  })
