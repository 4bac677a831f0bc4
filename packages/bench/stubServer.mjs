// An upstream on the loopback interface, in its own process so that its CPU time is not measured. The first message of
// the parent process contains bodies by path, or null for a path that hangs; the reply is the port. The reply to every later message is the number of
// requests so far.
import { createServer } from "node:http"

process.once("message", (/** @type {Record<string, string | null>} */ bodies) => {
  let requestCount = 0
  const responses = new Map(
    Object.entries(bodies).map(([path, body]) => [path, body === null ? null : Buffer.from(body)])
  )
  const server = createServer((request, response) => {
    requestCount += 1
    const body = responses.get(request.url?.split("?")[0] ?? "")
    if (body === undefined) response.writeHead(404).end()
    else if (body !== null) {
      response.writeHead(200, { "content-type": "application/json", "content-length": body.byteLength })
      response.end(body)
    }
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    process.send?.(typeof address === "object" ? address?.port : undefined)
    process.on("message", () => process.send?.(requestCount))
  })
})
process.once("disconnect", () => process.exit())
