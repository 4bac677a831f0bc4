// An upstream that fails randomly in every way that upstreams fail. The first message of the parent process contains
// `Options`; the reply is the port. The reply to every later message is the number of requests so far.
import { createServer } from "node:http"

/**
 * Responses contain the address of the path and the chain of the query, so that clients can check that a response belongs
 * to its request.
 *
 * @typedef {object} Options
 * @property {Record<string, string>} templates - bodies by path, with `:address` instead of the address, and with
 * `?limit=` and `&cursor=` if set; `@address@` and `@chain@` are replaced by those of the request
 * @property {number} faults - the ratio of requests that fail
 */

/** @typedef {import("node:http").ServerResponse} Response */

/** @type {(response: Response, status: number, body: string, headers?: Record<string, string>) => void} */
const send = (response, status, body, headers = {}) => {
  const bytes = Buffer.from(body)
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": bytes.byteLength,
    ...headers
  })
  response.end(bytes)
}

/** @type {(response: Response, status: number, headers?: Record<string, string>) => void} */
const fail = (response, status, headers) =>
  send(response, status, `{"message":"injected failure: ${status}"}`, headers)

/** The faults with their weights. @type {Array<[weight: number, fault: (response: Response, body: string) => void]>} */
const faults = [
  // Reset before the response or in the middle of the body
  [200, (response) => response.socket?.resetAndDestroy()],
  [200, (response, body) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    response.write(body.slice(0, body.length / 2), () => response.socket?.resetAndDestroy())
  }],
  [200, (response) => fail(response, 500)],
  [60, (response) => fail(response, 503, { "retry-after": "1" })],
  // Complete HTTP responses with incomplete or other documents
  [160, (response, body) => send(response, 200, body.slice(0, body.length / 2))],
  [129, (response) => send(response, 200, "<html>Welcome</html>", { "content-type": "text/html" })],
  [50, (response, body) => void setTimeout(() => send(response, 200, body), 300)],
  // Rare, because it pauses all requests with the API key
  [1, (response) => fail(response, 429, { "retry-after": "1" })]
]

/** Requests with this address get no response. */
const hangingAddress = `0x${"f".repeat(40)}`

const totalWeight = faults.reduce((sum, [weight]) => sum + weight, 0)

const pickFault = () => {
  let remaining = Math.random() * totalWeight
  return faults.find(([weight]) => (remaining -= weight) < 0)?.[1]
}

process.once("message", (/** @type {Options} */ { faults, templates }) => {
  let requestCount = 0
  const server = createServer((request, response) => {
    requestCount += 1
    const { pathname, searchParams } = new URL(request.url ?? "", "http://upstream.test")
    if (pathname.includes(hangingAddress)) return
    const address = /0x[0-9a-f]{40}/.exec(pathname)?.[0] ?? ""
    const [limit, cursor] = [searchParams.get("limit"), searchParams.get("cursor")]
    const template = templates[
      pathname.replace(address, ":address") + (limit === null ? "" : `?limit=${limit}`) +
      (cursor === null ? "" : `&cursor=${cursor}`)
    ]
    if (template === undefined) return fail(response, 404)
    const body = template.replaceAll("@address@", address)
      .replaceAll("@chain@", searchParams.get("chain") ?? "")
    const fault = Math.random() < faults ? pickFault() : undefined
    if (fault === undefined) send(response, 200, body)
    else fault(response, body)
  })
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    process.send?.(typeof address === "object" ? address?.port : undefined)
    process.on("message", () => process.send?.(requestCount))
  })
})
process.once("disconnect", () => process.exit())
