// What stands where a proxy stands, as simple as it gets: each in a process of its own. Its parent sends one message,
// which peer it is and what it serves, and gets the port.
import httpProxy from "@fastify/http-proxy"
import fastify from "fastify"
import { Agent, createServer, request } from "node:http"

/**
 * @typedef {object} Order
 * @property {keyof typeof peers} peer
 * @property {string} service - the address behind it
 * @property {Record<string, string>} bodies - by path, for those that ask nobody
 * @property {Record<string, string>} headers - of these
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

/** A process has a server of Fastify's, or of Node's. @type {(app: import("fastify").FastifyInstance) => Promise<number>} */
const start = async (app) => Number(new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port)

const peers = {
  /** Writes what is there. @type {(order: Order) => Promise<number>} */
  buffer: ({ bodies, headers }) => {
    const answers = buffers(bodies)
    return listen(createServer((asked, response) => {
      const body = answers.get(pathOf(asked.url)) ?? Buffer.alloc(0)
      response.writeHead(200, { ...headers, "content-length": body.byteLength })
      response.end(body)
    }))
  },
  /** Passes on what comes, looking at nothing. @type {(order: Order) => Promise<number>} */
  pipe: ({ service }) => {
    const { hostname, port } = new URL(service)
    const agent = new Agent({ keepAlive: true })
    return listen(createServer((asked, response) => {
      const onwards = request(
        { agent, hostname, port, path: asked.url, method: asked.method, headers: asked.headers },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(response)
        }
      )
      onwards.on("error", () => response.destroy())
      asked.pipe(onwards)
    }))
  },
  /** @type {(order: Order) => Promise<number>} */
  fastifyBuffer: ({ bodies, headers }) => {
    const app = fastify()
    for (const [path, body] of buffers(bodies)) {
      app.get(path, (_, reply) => reply.headers(headers).send(body))
    }
    return start(app)
  },
  /** @type {(order: Order) => Promise<number>} */
  fastifyProxy: ({ service }) => {
    const app = fastify()
    void app.register(httpProxy, { upstream: service })
    return start(app)
  }
}

process.once("message", async (/** @type {Order} */ order) => {
  process.send?.(await peers[order.peer](order))
})
process.once("disconnect", () => process.exit())
