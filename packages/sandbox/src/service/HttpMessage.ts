/**
 * Requests and answers as both doors carry them.
 *
 * @since 0.1.0
 */
import { stringify } from "@blockquarry/core/LosslessJson"

/**
 * A request as it arrived. Header names are lower case.
 *
 * @since 0.1.0
 * @category models
 */
export interface SandboxRequest {
  readonly method: string
  /** A path with its query, with or without an origin in front. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * What the transport does with an answer:
 *
 * - `whole`: sends it.
 * - `reset`: resets the connection before any header.
 * - `reset-body`: sends headers and half of the body, then resets.
 * - `truncate`: sends headers and half of the body, then closes as if that were all.
 * - `stall`: sends headers and half of the body, then nothing more.
 *
 * @since 0.1.0
 * @category models
 */
export type Transmission = "complete" | "reset" | "reset-body" | "truncate" | "stall"

/**
 * An answer before it is sent. `content-length` is among the headers and speaks of the whole body.
 *
 * @since 0.1.0
 * @category models
 */
export interface SandboxResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly transmission: Transmission
}

/** What an answer's document is made of: JSON, and integers of any size. Undefined members are left out. */
export type JsonDocument =
  | string
  | number
  | bigint
  | boolean
  | null
  | ReadonlyArray<JsonDocument>
  | { readonly [member: string]: JsonDocument | undefined }

/** An answer that carries a JSON document. */
export const jsonResponse = (
  status: number,
  document: JsonDocument,
  headers: Readonly<Record<string, string>> = {}
): SandboxResponse => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8", ...headers },
  body: stringify(document),
  transmission: "complete"
})

/** The body's bytes. */
export const bodyBytes = (response: Pick<SandboxResponse, "body">): Uint8Array<ArrayBuffer> =>
  typeof response.body === "string" ? new TextEncoder().encode(response.body) : response.body

/** The first half of the body: what arrives of an answer that is cut off. */
export const firstHalf = (response: Pick<SandboxResponse, "body">): Uint8Array<ArrayBuffer> => {
  const bytes = bodyBytes(response)
  return bytes.subarray(0, Math.floor(bytes.length / 2))
}

/** The answer with the length of its body among the headers. */
export const withContentLength = (response: SandboxResponse): SandboxResponse => ({
  ...response,
  headers: { ...response.headers, "content-length": String(bodyBytes(response).length) }
})

/** A request's path as it was written, and its query. */
export const parseUrl = (
  url: string
): { readonly path: string; readonly query: ReadonlyArray<readonly [string, string]> } => {
  const local = url.replace(/^https?:\/\/[^/?#]*/i, "").replace(/#.*$/s, "")
  const mark = local.indexOf("?")
  const path = mark < 0 ? local : local.slice(0, mark)
  return {
    path: path === "" ? "/" : path,
    query: mark < 0 ? [] : [...new URLSearchParams(local.slice(mark))]
  }
}
