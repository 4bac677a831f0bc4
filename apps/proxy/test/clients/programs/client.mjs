// The protocol of client.py with the library in the first argument.
import { createHash } from "node:crypto"
import { createInterface } from "node:readline"

/**
 * @typedef {{ readonly method: string, readonly headers: Record<string, string>, readonly body: string | undefined }} Options
 * @typedef {(url: string, options: Options) => Promise<readonly [status: number, body: ArrayBuffer | Uint8Array]>} Send
 * @type {Readonly<Record<string, () => Promise<Send>>>}
 */
const libraries = {
  fetch: async () => async (url, options) => {
    const response = await fetch(url, options)
    return [response.status, await response.arrayBuffer()]
  },
  axios: async () => {
    const { default: axios } = await import("axios")
    const { default: axiosRetry } = await import("axios-retry")
    const client = axios.create({ responseType: "arraybuffer" })
    axiosRetry(client, { retries: 3 })
    return async (url, { body, headers, method }) => {
      try {
        const response = await client.request({ url, method, headers, data: body })
        return [response.status, response.data]
      } catch (error) {
        // The last response, once there are no retries left. One that was cut has its status, too
        if (!axios.isAxiosError(error) || error.response === undefined || error.response.status < 400) {
          throw error
        }
        return [error.response.status, error.response.data]
      }
    }
  },
  got: async () => {
    const { got } = await import("got-14")
    return async (url, { body, headers, method }) => {
      const options = { headers, throwHttpErrors: false, responseType: /** @type {const} */ ("buffer") }
      const content = body === undefined ? {} : { body }
      const response = await got(url, { ...options, ...content, method: /** @type {"GET"} */ (method) })
      return [response.statusCode, response.body]
    }
  }
}

const send = await libraries[process.argv[2] ?? ""]?.()
if (send === undefined) throw new Error(`expected one of: ${Object.keys(libraries).join(", ")}`)

for await (const line of createInterface({ input: process.stdin })) {
  const [method = "", url = "", fields = "", body = ""] = line.split("\t")
  const headers = Object.fromEntries(fields.split("|").filter(Boolean).map((field) => field.split(": ", 2)))
  try {
    const [status, content] = await send(url, { method, headers, body: body === "" ? undefined : body })
    console.log(`${status}\t${createHash("sha256").update(new Uint8Array(content)).digest("hex")}`)
  } catch (error) {
    console.log(`error\t${String(error).replaceAll("\n", " ")}`)
  }
}
