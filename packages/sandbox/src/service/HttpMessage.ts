/** Requests and responses, independent of the transport. */

/** A received request. Header names are lower case. */
export interface SandboxRequest {
  readonly method: string
  /** A path with a query, with or without an origin. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * How the transport sends a response:
 *
 * - `complete`: sends all of it.
 * - `reset`: resets the connection before any header.
 * - `truncate`: sends headers and half of the body, then closes the connection.
 * - `stall`: sends headers and half of the body, then nothing more.
 */
export type Transmission = "complete" | "reset" | "truncate" | "stall"

/**
 * A response. The header `content-length` is the length of the complete body, also if `transmission` truncates it.
 */
export interface SandboxResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly transmission: Transmission
}

/** The document of a response: JSON with integers of any size. Undefined members are omitted. */
export type JsonDocument =
  | string
  | number
  | bigint
  | boolean
  | null
  | ReadonlyArray<JsonDocument>
  | { readonly [member: string]: JsonDocument | undefined }

/** Prints a bigint as an integer with all digits. No text of a document is this mark and digits. */
const printJson = (document: JsonDocument): string =>
  JSON.stringify(document, (_, member: unknown) => typeof member === "bigint" ? `\u007f${member}` : member)
    .replace(/"\u007f(-?\d+)"/g, "$1")

/** Creates a response with a JSON document. */
export const jsonResponse = (
  status: number,
  document: JsonDocument,
  headers: Readonly<Record<string, string>> = {}
): SandboxResponse => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8", ...headers },
  body: printJson(document),
  transmission: "complete"
})

/** Returns the body as bytes. */
export const bodyBytes = (response: Pick<SandboxResponse, "body">): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(response.body)

/** Returns the first half of a body, for truncated responses. */
export const firstHalf = <Bytes extends Uint8Array>(bytes: Bytes): Uint8Array<Bytes["buffer"]> =>
  bytes.subarray(0, Math.floor(bytes.length / 2))

/** Sets the header `content-length`. */
export const withContentLength = (response: SandboxResponse): SandboxResponse => ({
  ...response,
  headers: { ...response.headers, "content-length": String(bodyBytes(response).length) }
})

/** Splits a URL into the undecoded path and the query. */
export const parseUrl = (url: string) => {
  const [, path, query] = /^(?:https?:\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?/i.exec(url) ?? []
  return { path: path || "/", query: [...new URLSearchParams(query)] }
}
