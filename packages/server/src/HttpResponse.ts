/** A response, independent of `node:http`. */
import * as Data from "effect/Data"
import type * as Stream from "effect/Stream"

/** The body is incomplete on purpose; the connection closes so that clients notice. */
export class IncompleteBodyError extends Data.TaggedError("IncompleteBodyError") {}

export interface HttpResponse {
  readonly status: number
  /** Header names are in lower case. The server adds `Content-Length` for bodies that are not streams. */
  readonly headers: Readonly<Record<string, string>>
  /** A stream is sent with backpressure. If it fails, the connection is closed after its bytes, so clients detect the truncation. */
  readonly body: Uint8Array | Stream.Stream<Uint8Array, IncompleteBodyError>
}

const encoder = new TextEncoder()

export const json = (
  status: number,
  document: unknown,
  headers: Readonly<Record<string, string>> = {}
): HttpResponse => text(status, "application/json; charset=utf-8", `${JSON.stringify(document)}\n`, headers)

export const text = (
  status: number,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>> = {}
): HttpResponse => ({
  status,
  headers: { "content-type": type, ...headers },
  body: encoder.encode(body)
})

export const empty = (status: number, headers: Readonly<Record<string, string>> = {}): HttpResponse => ({
  status,
  headers,
  body: new Uint8Array()
})
