/** What a request is answered with. */
import type * as Stream from "effect/Stream"

export interface ProxyResponse {
  readonly status: number
  /** Lower-case names. The server adds the length of what is whole, and the request's id. */
  readonly headers: Readonly<Record<string, string>>
  /** A stream is sent as fast as the client reads it. One that fails breaks the connection: nobody takes it for whole. */
  readonly body: Uint8Array | Stream.Stream<Uint8Array>
}

const encoder = new TextEncoder()

/** A JSON document of our own. */
export const json = (
  status: number,
  document: unknown,
  headers: Readonly<Record<string, string>> = {}
): ProxyResponse => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8", ...headers },
  body: encoder.encode(`${JSON.stringify(document)}\n`)
})

/** Text of our own, such as a page. */
export const text = (
  status: number,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>> = {}
): ProxyResponse => ({
  status,
  headers: { "content-type": type, ...headers },
  body: encoder.encode(body)
})

/** No body at all. */
export const empty = (status: number, headers: Readonly<Record<string, string>> = {}): ProxyResponse => ({
  status,
  headers,
  body: new Uint8Array()
})
