import * as Effect from "effect/Effect"
import { createServer, type RequestListener } from "node:http"
import { expect, it } from "vitest"
import * as Load from "../src/Load.ts"

/** Sends requests for numbers from 0 to a server. Returns the responses, and the number of its connections. */
const send = (
  listener: RequestListener,
  count: number,
  connections: number,
  more: Partial<Load.Request> = {}
) =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const server = createServer(listener)
    yield* Effect.acquireRelease(
      Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
      () => Effect.sync(() => server.close())
    )
    let opened = 0
    server.on("connection", () => opened++)
    const address = server.address()
    const port = typeof address === "object" ? address?.port ?? 0 : 0
    const responses: Array<string> = []
    let sent = 0
    yield* Load.send({
      port,
      connections,
      next: () => ({ target: `/${sent++}`, ...more }),
      onResponse: (response) =>
        responses.push(response instanceof Error ? response.message : `${response.status} ${response.body}`)
    }, count)
    return { opened, responses }
  })))

it("sends the given number of requests with headers over the given number of connections", async () => {
  const { opened, responses } = await send(
    ({ headers, url }, response) => void response.end(`${url} ${headers["x-api-key"]}`),
    30,
    4,
    { headers: { "x-api-key": "me" } }
  )
  expect(opened).toBe(4)
  expect(new Set(responses)).toEqual(new Set(Array.from({ length: 30 }, (_, index) => `200 /${index} me`)))
})

it("returns an error if a connection closes in the middle of a response, and opens another", async () => {
  const { opened, responses } = await send(
    ({ url }, response) =>
      url === "/1"
        ? void response.writeHead(200, { "content-length": 9 }).write("1", () => response.destroy())
        : void response.end(),
    3,
    1
  )
  expect(responses).toEqual(["200 ", "other side closed", "200 "])
  expect(opened).toBe(2)
})

it("disconnects after a time, also in the middle of a response", async () => {
  const { opened, responses } = await send(() => {}, 2, 1, { disconnectAfter: 1 })
  expect(responses).toEqual(["The client is destroyed", "The client is destroyed"])
  expect(opened).toBeLessThanOrEqual(2)
})
