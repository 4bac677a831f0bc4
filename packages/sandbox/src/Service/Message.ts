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
export interface Request {
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
export type Ending = "whole" | "reset" | "reset-body" | "truncate" | "stall"

/**
 * An answer before it is sent. `content-length` is among the headers and speaks of the whole body.
 *
 * @since 0.1.0
 * @category models
 */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly ending: Ending
}

/** What an answer's document is made of: JSON, and integers of any size. Undefined members are left out. */
export type Document =
  | string
  | number
  | bigint
  | boolean
  | null
  | ReadonlyArray<Document>
  | { readonly [member: string]: Document | undefined }

/** An answer that carries a JSON document. */
export const json = (
  status: number,
  document: Document,
  headers: Readonly<Record<string, string>> = {}
): Answer => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8", ...headers },
  body: stringify(document),
  ending: "whole"
})

/** The body's bytes. */
export const bytesOf = (answer: Pick<Answer, "body">): Uint8Array<ArrayBuffer> =>
  typeof answer.body === "string" ? new TextEncoder().encode(answer.body) : answer.body

/** The first half of the body: what arrives of an answer that is cut off. */
export const halfOf = (answer: Pick<Answer, "body">): Uint8Array<ArrayBuffer> => {
  const bytes = bytesOf(answer)
  return bytes.subarray(0, Math.floor(bytes.length / 2))
}

/** The answer with the length of its body among the headers. */
export const sized = (answer: Answer): Answer => ({
  ...answer,
  headers: { ...answer.headers, "content-length": String(bytesOf(answer).length) }
})

/** A request's path as it was written, and its query. */
export const readUrl = (
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
