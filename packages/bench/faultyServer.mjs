// A service that fails now and then, in every way that services fail. Its parent sends one message, what it answers
// and how often it fails, and gets the port; every further message gets how often it was asked so far.
import { createServer } from "node:http"

/**
 * Answers have the address of the path and the chain of the query inside, so that whoever gets one knows whether it
 * is the answer to the question.
 *
 * @typedef {object} Options
 * @property {Record<string, string>} templates - texts by path, `:address` in place of the address, and `?limit=` and
 * `&cursor=` where there is one; `@address@` and `@chain@` stand for those of the question
 * @property {number} faults - the part of requests that fail
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
  send(response, status, `{"message":"the service fails with ${status}"}`, headers)

/** What goes wrong, and its part of all that does. @type {Array<[part: number, fault: (response: Response, body: string) => void]>} */
const faults = [
  // The connection breaks before the answer, or in the middle of it.
  [200, (response) => response.socket?.resetAndDestroy()],
  [200, (response, body) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    response.write(body.slice(0, body.length / 2), () => response.socket?.resetAndDestroy())
  }],
  [200, (response) => fail(response, 500)],
  [60, (response) => fail(response, 503, { "retry-after": "1" })],
  // Whole answers of HTTP that are no whole documents.
  [160, (response, body) => send(response, 200, body.slice(0, body.length / 2))],
  [129, (response) => send(response, 200, "<html>Welcome</html>", { "content-type": "text/html" })],
  [50, (response, body) => void setTimeout(() => send(response, 200, body), 300)],
  // Everybody who shares the key waits.
  [1, (response) => fail(response, 429, { "retry-after": "1" })]
]

const all = faults.reduce((sum, [part]) => sum + part, 0)

const anyFault = () => {
  let left = Math.random() * all
  return faults.find(([part]) => (left -= part) < 0)?.[1]
}

process.once("message", (/** @type {Options} */ { faults, templates }) => {
  let requestCount = 0
  const server = createServer((request, response) => {
    requestCount += 1
    const { pathname, searchParams } = new URL(request.url ?? "", "http://service.test")
    const address = /0x[0-9a-f]{40}/.exec(pathname)?.[0] ?? ""
    const [limit, cursor] = [searchParams.get("limit"), searchParams.get("cursor")]
    const template = templates[
      pathname.replace(address, ":address") + (limit === null ? "" : `?limit=${limit}`) +
      (cursor === null ? "" : `&cursor=${cursor}`)
    ]
    if (template === undefined) return fail(response, 404)
    const body = template.replaceAll("@address@", address)
      .replaceAll("@chain@", searchParams.get("chain") ?? "")
    const fault = Math.random() < faults ? anyFault() : undefined
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
