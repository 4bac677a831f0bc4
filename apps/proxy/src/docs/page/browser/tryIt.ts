/** Sends the request of a form and shows the response. */
import { h } from "./dom.ts"
import { formatJson } from "./formatJson.ts"

export interface FormRequest {
  readonly method: string
  readonly target: string
  readonly body: string | null
  readonly cacheControl: string
}

/** Longer bodies are truncated, because they would slow the page down. */
const maxShownChars = 100_000

/** Reads the start of a body, and says what is missing. Cancels the response if the body is longer. */
const readPrefix = async (response: Response): Promise<readonly [text: string, missing: string]> => {
  const reader = response.body?.getReader()
  if (reader === undefined) return ["", ""]
  const decoder = new TextDecoder()
  let text = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return [text, ""]
      text += decoder.decode(value, { stream: true })
      if (text.length > maxShownChars) {
        await reader.cancel()
        return [text.slice(0, maxShownChars), "Truncated. The curl command returns the full response."]
      }
    }
  } catch {
    // A list that has said that it failed has no end.
    return [text, /(?:^|\n)\{"failure":[^\n]*\}\n$/.test(text) ? "" : "The connection closed before the end."]
  }
}

export const tryIt = async (
  { body, cacheControl, method, target }: FormRequest,
  token: string,
  resultElement: Element
): Promise<void> => {
  resultElement.replaceChildren(h("p.muted", "Sending …"))
  const started = performance.now()
  try {
    const response = await fetch(target, {
      method,
      body,
      // Bypasses the browser's cache. Without an explicit cache-control, no-store would make it send no-cache.
      cache: "no-store",
      headers: {
        "cache-control": cacheControl === "" ? "max-age=31536000" : cacheControl,
        ...(token === "" ? {} : { "x-api-key": token }),
        ...(body === null ? {} : { "content-type": "application/json" })
      }
    })
    const [text, missing] = await readPrefix(response)
    const isNdjson = response.headers.get("content-type")?.includes("ndjson") === true
    const millis = Math.round(performance.now() - started)
    resultElement.replaceChildren(
      h(
        "p",
        h(`span.pill ${response.ok ? "good" : "bad"}`, `${response.status} ${response.statusText}`.trim()),
        " ",
        h("span.muted number", `${millis} ms`)
      ),
      h(
        "dl",
        ...[...response.headers].flatMap(([name, value]) => [h("dt", name), h("dd", h("code", value))])
      ),
      h(
        "pre",
        { tabindex: 0, "aria-label": "body" },
        h("code", isNdjson ? text : formatJson(text))
      ),
      ...(missing === "" ? [] : [h("p.muted", missing)])
    )
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    resultElement.replaceChildren(h("p.muted", `Request failed: ${message}`))
  }
}
