/** Sends the request of a form and shows the response. */
import { h } from "./dom.ts"
import { formatJson } from "./formatJson.ts"

export interface FormRequest {
  readonly method: string
  /** The path with its query. */
  readonly target: string
  readonly body: string | null
  readonly cacheControl: string
}

/** What of an answer is shown: the rest would be too much for a page. */
const maxShownChars = 100_000
const shownHeaders = [
  "cache-status",
  "age",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "etag",
  "x-request-id",
  "content-type"
]

/** The beginning of a body, and whether there was more of it. */
const readPrefix = async (response: Response): Promise<readonly [text: string, truncated: boolean]> => {
  const reader = response.body?.getReader()
  if (reader === undefined) return ["", false]
  const decoder = new TextDecoder()
  let text = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return [text, false]
    text += decoder.decode(value, { stream: true })
    if (text.length > maxShownChars) {
      await reader.cancel()
      return [text.slice(0, maxShownChars), true]
    }
  }
}

const headersOf = (headers: Headers) =>
  h(
    "dl",
    {},
    ...shownHeaders.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [h("dt", {}, name), h("dd", {}, h("code", {}, value))]
    })
  )

export const tryIt = async (
  request: FormRequest,
  token: string,
  resultElement: HTMLElement,
  signal: AbortSignal
): Promise<void> => {
  const { body, cacheControl, method, target } = request
  resultElement.replaceChildren(h("p", { class: "muted" }, "Asking …"))
  const started = performance.now()
  try {
    const response = await fetch(target, {
      method,
      body,
      signal,
      // The browser's own cache stays out of it. It would say no-cache for us where we say nothing.
      cache: "no-store",
      headers: {
        "cache-control": cacheControl === "" ? "max-age=31536000" : cacheControl,
        ...(token === "" ? {} : { "x-api-key": token }),
        ...(body === null ? {} : { "content-type": "application/json" })
      }
    })
    const [text, truncated] = await readPrefix(response)
    const isNdjson = response.headers.get("content-type")?.includes("ndjson") === true
    const millis = Math.round(performance.now() - started)
    resultElement.replaceChildren(
      h(
        "p",
        {},
        h(
          "span",
          { class: `pill ${response.ok ? "good" : "bad"}` },
          `${response.status} ${response.statusText}`.trim()
        ),
        " ",
        h("span", { class: "muted number" }, `${millis} ms`)
      ),
      headersOf(response.headers),
      h(
        "pre",
        { tabindex: 0, "aria-label": "body" },
        h("code", {}, isNdjson ? text : formatJson(text))
      ),
      ...(truncated
        ? [h("p", { class: "muted" }, "This is the beginning; the line for the terminal gets it all.")]
        : [])
    )
  } catch (error) {
    const message = signal.aborted
      ? "Stopped."
      : `No answer: ${error instanceof Error ? error.message : String(error)}`
    resultElement.replaceChildren(h("p", { class: "muted" }, message))
  }
}
