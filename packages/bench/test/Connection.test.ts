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

it("parses a response that is split at any position", () => {
  for (let first = 1; first < wire.length - 1; first++) {
    const second = Math.min(wire.length - 1, first + 7)
    const parser = new ResponseParser()
    expect(parser.push(wire.subarray(0, first))).toBeUndefined()
    if (second > first) expect(parser.push(wire.subarray(first, second))).toBeUndefined()
    const response = parser.push(wire.subarray(Math.max(first, second)))
    expect(response?.status).toBe(503)
    expect(response?.body.toString()).toBe("not \r\n\r\nnow")
    expect(response && headerOf(response, "x-request-id")).toBe("r1")
    expect(response && headerOf(response, "request-id")).toBeUndefined()
  }
})

it("parses consecutive responses", () => {
  const parser = new ResponseParser()
  expect([wire, wire].map((piece) => parser.push(piece)?.body.toString())).toEqual([
    "not \r\n\r\nnow",
    "not \r\n\r\nnow"
  ])
})

it("rejects data after a response", () => {
  expect(() => new ResponseParser().push(Buffer.concat([wire, wire]))).toThrow(
    "unexpected data after the response"
  )
})

it("rejects a response without a length", () => {
  const withoutLength = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
  expect(() => new ResponseParser().push(Buffer.from(withoutLength))).toThrow("without content-length")
})

it("parses a chunked response that is split at any position", () => {
  const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
  const wire = Buffer.from(`${head}5\r\none\r\n\r\nA\r\n two three\r\n0\r\n\r\n`)
  for (let first = 1; first < wire.length - 1; first++) {
    const parser = new ResponseParser()
    expect(parser.push(wire.subarray(0, first))).toBeUndefined()
    expect(parser.push(wire.subarray(first))?.body.toString()).toBe("one\r\n two three")
    expect(parser.push(wire)?.body.toString()).toBe("one\r\n two three")
  }
  expect(() => new ResponseParser().push(Buffer.concat([wire, wire]))).toThrow(
    "unexpected data after the response"
  )
  expect(() => new ResponseParser().push(Buffer.from(`${head}2\r\none\r\n`))).toThrow(
    "longer than its declared size"
  )
  expect(() => new ResponseParser().push(Buffer.from(`${head}x\r\n`))).toThrow("invalid chunk size")
})

it("parses a response with a status that has no body", () => {
  const wire = Buffer.from("HTTP/1.1 304 Not Modified\r\nETag: W/\"a\"\r\n\r\n")
  expect(new ResponseParser().push(wire)).toMatchObject({ status: 304, body: Buffer.alloc(0) })
  expect(() => new ResponseParser().push(Buffer.concat([wire, Buffer.from("{}")]))).toThrow("unexpected data")
})

it("sends requests with headers over one connection", async () => {
  const sockets = new Set<unknown>()
  const port = await listening(createServer((request, response) => {
    sockets.add(request.socket)
    const body = `${request.url} ${request.headers["x-api-key"]}`
    response.writeHead(200, { "content-length": body.length }).end(body)
  }))
  const connection = await openConnection(port)
  for (const id of ["1", "2"]) {
    const { body, status } = await connection.send(formatGet(`/a?id=${id}`, { "x-api-key": "me" }))
    expect([status, body.toString()]).toEqual([200, `/a?id=${id} me`])
  }
  connection.close()
  expect(sockets.size).toBe(1)
})

it("rejects if the connection closes in the middle of a response", async () => {
  const port = await listening(createRawServer((socket) => {
    socket.once("data", () => socket.end(wire.subarray(0, wire.length - 1)))
  }))
  const connection = await openConnection(port)
  await expect(connection.send(formatGet("/"))).rejects.toThrow("closed")
  await expect(connection.send(formatGet("/"))).rejects.toThrow("closed")
})

it("close rejects the pending request", async () => {
  const port = await listening(createRawServer(() => undefined))
  const connection = await openConnection(port)
  const pending = connection.send(formatGet("/"))
  connection.close()
  await expect(pending).rejects.toThrow("closed by the client")
})

it("rejects if the port is closed", async () => {
  const port = await listening(createRawServer())
  await new Promise((resolve) => servers.splice(0)[0]?.close(resolve))
  await expect(openConnection(port)).rejects.toThrow("ECONNREFUSED")
})
