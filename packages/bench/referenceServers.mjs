// Minimal servers that the proxy is compared with, each in its own process. The first message of the parent process
// contains `Options`; the reply is the port.
import httpProxy from "@fastify/http-proxy"
import fastify from "fastify"
import { Agent, createServer, request } from "node:http"

/**
 * @typedef {object} Options
 * @property {keyof typeof servers} server
 * @property {string} upstreamUrl - the upstream of servers that forward requests
 * @property {Record<string, string>} bodies - bodies by path, for servers that do not forward requests
 * @property {Record<string, string>} headers - headers of responses with these bodies
 * @property {boolean} [accessLog] - whether servers of `node:http` log each request on standard output
 */

/** @type {(bodies: Record<string, string>) => Map<string, Buffer>} */
const buffers = (bodies) => new Map(Object.entries(bodies).map(([path, body]) => [path, Buffer.from(body)]))

const pathOf = (/** @type {string | undefined} */ url) => url?.split("?")[0] ?? ""

/** @type {(server: import("node:http").Server) => Promise<number>} */
const listen = (server) =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" ? address?.port ?? 0 : 0)
    })
  })

/** @type {(app: import("fastify").FastifyInstance) => Promise<number>} */
const start = async (app) => Number(new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port)

/** @type {(listener: import("node:http").RequestListener) => import("node:http").RequestListener} */
const withAccessLog = (listener) => (request, response) => {
  const startedAt = performance.now()
  response.on("finish", () => {
    const line = JSON.stringify({
      time: new Date().toISOString(),
      requestId: response.getHeader("x-request-id"),
      method: request.method,
      path: pathOf(request.url),
      status: response.statusCode,
      durationMs: performance.now() - startedAt,
      bytes: response.getHeader("content-length")
    })
    process.stdout.write(`${line}\n`)
  })
  listener(request, response)
}

const servers = {
  /** Returns a body from memory. @type {(options: Options) => Promise<number>} */
  buffer: ({ accessLog, bodies, headers }) => {
    const responses = buffers(bodies)
    /** @type {import("node:http").RequestListener} */
    const listener = (incoming, response) => {
      const body = responses.get(pathOf(incoming.url)) ?? Buffer.alloc(0)
      response.writeHead(200, { ...headers, "content-length": body.byteLength })
      response.end(body)
    }
    return listen(createServer(accessLog ? withAccessLog(listener) : listener))
  },
  /** Forwards requests and responses unchanged. @type {(options: Options) => Promise<number>} */
  pipe: ({ accessLog, upstreamUrl }) => {
    const { hostname, port } = new URL(upstreamUrl)
    const agent = new Agent({ keepAlive: true })
    /** @type {import("node:http").RequestListener} */
    const listener = (incoming, response) => {
      const upstreamRequest = request(
        { agent, hostname, port, path: incoming.url, method: incoming.method, headers: incoming.headers },
        (upstreamResponse) => {
          response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers)
          upstreamResponse.pipe(response)
        }
      )
      upstreamRequest.on("error", () => response.destroy())
      incoming.pipe(upstreamRequest)
    }
    return listen(createServer(accessLog ? withAccessLog(listener) : listener))
  },
  /** @type {(options: Options) => Promise<number>} */
  fastifyBuffer: ({ bodies, headers }) => {
    const app = fastify()
    for (const [path, body] of buffers(bodies)) {
      app.get(path, (_, reply) => reply.headers(headers).send(body))
    }
    return start(app)
  },
  /** @type {(options: Options) => Promise<number>} */
  fastifyProxy: ({ upstreamUrl }) => {
    const app = fastify()
    void app.register(httpProxy, { upstream: upstreamUrl })
    return start(app)
  }
}

process.once("message", async (/** @type {Options} */ options) => {
  process.send?.(await servers[options.server](options))
})
process.once("disconnect", () => process.exit())
