// An upstream on the loopback interface, in its own process so that its CPU time is not measured. It can fail randomly in
// every way that upstreams fail. The first message of the parent process contains `Options`; the reply is the port. The
// reply to every later message is the number of requests so far.
import { createServer } from "node:http"

/**
 * @typedef {object} Options
 * @property {Record<string, string | string[] | null>} bodies - bodies by path, several of which it returns in turn, or
 * null for a path that hangs. A path may contain `:address`, which stands for any address, and `?limit=` and `&cursor=`;
 * `@address@` and `@chain@` in its body are replaced by those of the request, so that clients can check that a response
 * belongs to its request.
 * @property {number} [faults] - the ratio of requests that fail
 */

/** @typedef {import("node:http").ServerResponse} Response */

/** @type {(response: Response, status: number, body: Buffer | string, headers?: Record<string, string>) => void} */
const send = (response, status, body, headers = {}) => {
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...headers
  })
  response.end(body)
}

/** @type {(response: Response, status: number, headers?: Record<string, string>) => void} */
const fail = (response, status, headers) =>
  send(response, status, `{"message":"injected failure: ${status}"}`, headers)

/** @type {(body: Buffer) => Buffer} */
const half = (body) => body.subarray(0, body.byteLength / 2)

/** The faults with their weights. @type {Array<[weight: number, fault: (response: Response, body: Buffer) => void]>} */
const faultKinds = [
  // Reset before the response or in the middle of the body
  [200, (response) => response.socket?.resetAndDestroy()],
  [200, (response, body) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": body.byteLength })
    response.write(half(body), () => response.socket?.resetAndDestroy())
  }],
  [200, (response) => fail(response, 500)],
  [60, (response) => fail(response, 503, { "retry-after": "1" })],
  // Complete HTTP responses with incomplete or other documents
  [160, (response, body) => send(response, 200, half(body))],
  [129, (response) => send(response, 200, "<html>Welcome</html>", { "content-type": "text/html" })],
  [50, (response, body) => void setTimeout(() => send(response, 200, body), 300)],
  // Rare, because it pauses all requests with the API key
  [1, (response) => fail(response, 429, { "retry-after": "1" })]
]

const totalWeight = faultKinds.reduce((sum, [weight]) => sum + weight, 0)

const pickFault = () => {
  let remaining = Math.random() * totalWeight
  return faultKinds.find(([weight]) => (remaining -= weight) < 0)?.[1]
}

process.once("message", (/** @type {Options} */ { bodies, faults = 0 }) => {
  let requestCount = 0
  const fixed = new Map(
    Object.entries(bodies).map((
      [path, texts]
    ) => [path, texts && [texts].flat().map((text) => Buffer.from(text))])
  )
  /** @type {(url: string) => Buffer | null | undefined} */
  const fillIn = (url) => {
    const { pathname, searchParams } = new URL(url, "http://upstream.test")
    const address = /0x[0-9a-f]{40}/.exec(pathname)?.[0] ?? ""
    const [limit, cursor] = [searchParams.get("limit"), searchParams.get("cursor")]
    const template = bodies[
      pathname.replace(address, ":address") + (limit === null ? "" : `?limit=${limit}`) +
      (cursor === null ? "" : `&cursor=${cursor}`)
    ]
    return typeof template === "string"
      ? Buffer.from(
        template.replaceAll("@address@", address).replaceAll("@chain@", searchParams.get("chain") ?? "")
      )
      : undefined
  }
  /** @type {(url: string) => Buffer | null | undefined} */
  const bodyOf = (url) => {
    const choices = fixed.get(url.split("?")[0] ?? "")
    return choices === undefined ? fillIn(url) : choices && choices[requestCount % choices.length]
  }
  const server = createServer((request, response) => {
    requestCount += 1
    const body = bodyOf(request.url ?? "")
    if (body === undefined) return fail(response, 404)
    if (body === null) return
    const fault = Math.random() < faults ? pickFault() : undefined
    if (fault === undefined) send(response, 200, body)
    else fault(response, body)
  })
  // Longer than the pauses between the batches of a benchmark. With faults, a client that leaks no connections soon has none
  server.keepAliveTimeout = faults === 0 ? 60_000 : 1000
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    process.send?.(typeof address === "object" ? address?.port : undefined)
    process.on("message", () => process.send?.(requestCount))
  })
})
process.once("disconnect", () => process.exit())
