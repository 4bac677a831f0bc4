/** What a request is answered with. */

export interface Reply {
  readonly status: number
  /** Lower-case names. The server adds the length and the request's id. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

const encoder = new TextEncoder()

/** A JSON document of our own. */
export const json = (
  status: number,
  document: unknown,
  headers: Readonly<Record<string, string>> = {}
): Reply => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8", ...headers },
  body: encoder.encode(`${JSON.stringify(document)}\n`)
})

/** No body at all. */
export const empty = (status: number, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers,
  body: new Uint8Array()
})
