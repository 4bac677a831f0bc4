// An upstream on the loopback interface, in its own process so that its CPU time is not measured. The first message of
// the parent process contains the bodies of each path, which it returns in turn, or null for a path that hangs. The reply
// is the port. The reply to every later message is the number of requests so far.
import { createServer } from "node:http"

process.once("message", (/** @type {Record<string, string | string[] | null>} */ bodies) => {
  let requestCount = 0
  const responses = new Map(
    Object.entries(bodies).map((
      [path, texts]
    ) => [path, texts && [texts].flat().map((text) => Buffer.from(text))])
  )
  const server = createServer((request, response) => {
    requestCount += 1
    const choices = responses.get(request.url?.split("?")[0] ?? "")
    if (choices === undefined) response.writeHead(404).end()
    else if (choices !== null) {
      const body = choices[requestCount % choices.length]
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
