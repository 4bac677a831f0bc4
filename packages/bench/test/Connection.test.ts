/** One connection: answers in whatever pieces they come. */
import { createServer } from "node:http"
import type { AddressInfo, Server } from "node:net"
import { createServer as createRawServer } from "node:net"
import { afterEach, expect, it } from "vitest"
import { formatGet, headerOf, openConnection, ResponseParser } from "../src/Connection.ts"

const wire = Buffer.from(
  "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: 11\r\nX-Request-Id: r1\r\n\r\nnot \r\n\r\nnow"
)

const servers: Array<Server> = []

afterEach(() => servers.splice(0).forEach((server) => server.close()))

const listening = async (server: Server): Promise<number> => {
  servers.push(server)
  const address = await new Promise<AddressInfo | string | null>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(server.address()))
  })
  return typeof address === "object" ? address?.port ?? 0 : 0
}

it("an answer is the same wherever it is torn", () => {
  for (let first = 1; first < wire.length - 1; first++) {
    const second = Math.min(wire.length - 1, first + 7)
    const reader = new ResponseParser()
    expect(reader.push(wire.subarray(0, first))).toBeUndefined()
    if (second > first) expect(reader.push(wire.subarray(first, second))).toBeUndefined()
    const answer = reader.push(wire.subarray(Math.max(first, second)))
    expect(answer?.status).toBe(503)
    expect(answer?.body.toString()).toBe("not \r\n\r\nnow")
    expect(answer && headerOf(answer, "x-request-id")).toBe("r1")
    expect(answer && headerOf(answer, "request-id")).toBeUndefined()
  }
})

it("one answer after the other is read", () => {
  const reader = new ResponseParser()
  expect([wire, wire].map((piece) => reader.push(piece)?.body.toString())).toEqual([
    "not \r\n\r\nnow",
    "not \r\n\r\nnow"
  ])
})

it("more than was asked for is not taken for an answer", () => {
  expect(() => new ResponseParser().push(Buffer.concat([wire, wire]))).toThrow("more came than one answer")
})

it("an answer that does not say its length is not read", () => {
  const endless = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
  expect(() => new ResponseParser().push(Buffer.from(endless))).toThrow("without content-length")
})

it("an answer in chunks is put together, wherever it is torn", () => {
  const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
  const wire = Buffer.from(`${head}5\r\none\r\n\r\nA\r\n two three\r\n0\r\n\r\n`)
  for (let first = 1; first < wire.length - 1; first++) {
    const reader = new ResponseParser()
    expect(reader.push(wire.subarray(0, first))).toBeUndefined()
    expect(reader.push(wire.subarray(first))?.body.toString()).toBe("one\r\n two three")
    expect(reader.push(wire)?.body.toString()).toBe("one\r\n two three")
  }
  expect(() => new ResponseParser().push(Buffer.concat([wire, wire]))).toThrow("more came than one answer")
  expect(() => new ResponseParser().push(Buffer.from(`${head}2\r\none\r\n`))).toThrow("longer than it says")
  expect(() => new ResponseParser().push(Buffer.from(`${head}x\r\n`))).toThrow("does not say its length")
})

it("an answer that has no body needs no length", () => {
  const wire = Buffer.from("HTTP/1.1 304 Not Modified\r\nETag: W/\"a\"\r\n\r\n")
  expect(new ResponseParser().push(wire)).toMatchObject({ status: 304, body: Buffer.alloc(0) })
  expect(() => new ResponseParser().push(Buffer.concat([wire, Buffer.from("{}")]))).toThrow("more came")
})

it("requests go out with their headers, one after the other over one connection", async () => {
  const sockets = new Set<unknown>()
  const port = await listening(createServer((request, response) => {
    sockets.add(request.socket)
    const body = `${request.url} ${request.headers["x-api-key"]}`
    response.writeHead(200, { "content-length": body.length }).end(body)
  }))
  const connection = await openConnection(port)
  for (const turn of ["1", "2"]) {
    const { body, status } = await connection.send(formatGet(`/a?turn=${turn}`, { "x-api-key": "me" }))
    expect([status, body.toString()]).toEqual([200, `/a?turn=${turn} me`])
  }
  connection.close()
  expect(sockets.size).toBe(1)
})

it("a connection that breaks in the middle of an answer gives none", async () => {
  const port = await listening(createRawServer((socket) => {
    socket.once("data", () => socket.end(wire.subarray(0, wire.length - 1)))
  }))
  const connection = await openConnection(port)
  await expect(connection.send(formatGet("/"))).rejects.toThrow("closed")
  await expect(connection.send(formatGet("/"))).rejects.toThrow("closed")
})

it("who hangs up waits no longer", async () => {
  const port = await listening(createRawServer(() => undefined))
  const connection = await openConnection(port)
  const asking = connection.send(formatGet("/"))
  connection.close()
  await expect(asking).rejects.toThrow("hung up")
})

it("where nobody listens there is no connection", async () => {
  const port = await listening(createRawServer())
  await new Promise((resolve) => servers.splice(0)[0]?.close(resolve))
  await expect(openConnection(port)).rejects.toThrow("ECONNREFUSED")
})
