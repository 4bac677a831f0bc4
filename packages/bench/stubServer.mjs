// The other end of the loopback: a process of its own, so that its CPU time is not counted. Its parent's first
// message is a record of paths and bodies, and gets the port; every further one gets how often it was asked so far.
import { createServer } from "node:http"

process.once("message", (/** @type {Record<string, string>} */ bodies) => {
  let requestCount = 0
  const responses = new Map(Object.entries(bodies).map(([path, body]) => [path, Buffer.from(body)]))
  const server = createServer((request, response) => {
    requestCount += 1
    const body = responses.get(request.url?.split("?")[0] ?? "")
    if (body === undefined) response.writeHead(404).end()
    else {
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
