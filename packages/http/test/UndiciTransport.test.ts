/** Tests proxies, certificates and dispatchers of the transport over Undici, over real sockets. */
import * as CallUsage from "@blockquarry/http/CallUsage"
import * as UndiciTransport from "@blockquarry/http/UndiciTransport"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { type Dispatcher, MockAgent } from "@effect/platform-node/Undici"
import * as HttpClient from "@effect/platform/HttpClient"
import { afterEach, beforeEach, describe, expect, it, vi } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import * as Http from "node:http"
import * as Https from "node:https"
import * as Net from "node:net"
import * as Certificate from "./support/Certificate.ts"
import { tokenPrice } from "./support/Examples.ts"
import * as Server from "./support/Server.ts"
import * as TestClients from "./support/TestClients.ts"
import { runPendingWork } from "./support/TestTime.ts"

const text = JSON.stringify(tokenPrice.document)

const certificate = Certificate.make()

/** Starts a server with the certificate, and returns its base URL. */
const secureServer = Effect.map(
  Server.listen(Https.createServer(certificate, (_, response) => response.end(text))),
  (host) => `https://${host}`
)

interface Proxy {
  readonly url: string
  /** The method, host and credentials of requests to the proxy so far. */
  readonly requests: Array<readonly [method: string, host: string, credentials: string | undefined]>
}

/** Starts a proxy that, like Squid, opens tunnels for TLS only, and forwards requests with a whole URL. */
const proxyServer: Effect.Effect<Proxy, never, Scope.Scope> = Effect.gen(function*() {
  const requests: Array<readonly [method: string, host: string, credentials: string | undefined]> = []
  const record = ({ headers, method = "" }: Http.IncomingMessage, host: string) =>
    void requests.push([method, host, headers["proxy-authorization"]])
  const sockets = new Set<Net.Socket>()
  const server = Http.createServer((request, response) => {
    const url = new URL(request.url ?? "")
    record(request, url.host)
    const { "proxy-authorization": _, ...headers } = request.headers
    expect(headers.host).toBe(url.host)
    Http.request(url, { method: request.method ?? "GET", headers, agent: false }, (upstream) => {
      response.writeHead(upstream.statusCode ?? 502, upstream.headers)
      upstream.pipe(response)
    }).on("error", () => response.writeHead(503).end()).end()
  })
  server.on("connect", (request: Http.IncomingMessage, client: Net.Socket) => {
    record(request, request.url ?? "")
    const { hostname, port } = new URL(`http://${request.url}`)
    const upstream = Net.connect(Number(port), hostname, () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n")
      client.once("data", (first) => {
        // The first byte of a TLS handshake
        if (first[0] !== 0x16) {
          client.destroy()
          return
        }
        upstream.write(first)
        upstream.pipe(client).pipe(upstream)
      })
    })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on("error", () => {})
    }
  })
  const host = yield* Server.listen(server)
  yield* Effect.addFinalizer(() => Effect.sync(() => sockets.forEach((socket) => socket.destroy())))
  return { url: `http://${host}`, requests }
})

const hostOf = (url: string): string => new URL(url).host

/** Requests a price. */
const requestPrice = <E>(baseUrl: string, layer: Layer.Layer<HttpClient.HttpClient, E>) =>
  Effect.gen(function*() {
    const clients = yield* TestClients.connected({
      baseUrl,
      retry: TestClients.immediateRetries(1)
    })
    return yield* Effect.either(tokenPrice.call(clients))
  }).pipe(Effect.provide(layer))

const price = { _tag: "Right", right: { usdPrice: 1.5 } }
const trusted: UndiciTransport.Options = { connect: { ca: certificate.cert } }

beforeEach(() => {
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]) {
    vi.stubEnv(name, undefined)
    vi.stubEnv(name.toLowerCase(), undefined)
  }
})

afterEach(() => {
  vi.unstubAllEnvs()
})

it.scoped("certificates of unknown authorities are rejected, before the request is sent", () =>
  Effect.gen(function*() {
    expect(yield* requestPrice(yield* secureServer, UndiciTransport.layer)).toMatchObject({
      left: { _tag: "NetworkError", reason: "DEPTH_ZERO_SELF_SIGNED_CERT", sent: false }
    })
  }))

describe("proxies", () => {
  it.scoped("of HTTPS_PROXY tunnel requests and those of HTTP_PROXY receive them, with the credentials in their URLs", () =>
    Effect.gen(function*() {
      const proxies = { http: yield* proxyServer, https: yield* proxyServer }
      vi.stubEnv("HTTP_PROXY", proxies.http.url.replace("//", "//user:password@"))
      vi.stubEnv("HTTPS_PROXY", proxies.https.url.replace("//", "//user:password@"))
      const layer = UndiciTransport.layerWithOptions(trusted)
      const { url } = yield* Server.make((response) => response.end(text))
      const secureUrl = yield* secureServer
      expect(yield* requestPrice(url, layer)).toMatchObject(price)
      expect(yield* requestPrice(secureUrl, layer)).toMatchObject(price)
      const credentials = `Basic ${Buffer.from("user:password").toString("base64")}`
      expect(proxies.http.requests).toEqual([["GET", hostOf(url), credentials]])
      expect(proxies.https.requests).toEqual([["CONNECT", hostOf(secureUrl), credentials]])
    }))

  it.scoped("of the options take precedence, except for the hosts and CIDR blocks of NO_PROXY", () =>
    Effect.gen(function*() {
      const proxy = yield* proxyServer
      const { url } = yield* Server.make((response) => response.end(text))
      vi.stubEnv("HTTP_PROXY", `http://127.0.0.1:${yield* Server.reservedPort}`)
      const layer = UndiciTransport.layerWithOptions({ httpProxy: proxy.url })
      const cases = [
        [undefined, 1],
        ["10.0.0.0/8,192.168.0.0/16", 1],
        ["127.0.0.0/8", 0],
        ["host.test,127.0.0.1", 0]
      ] as const
      for (const [noProxy, requests] of cases) {
        vi.stubEnv("NO_PROXY", noProxy)
        proxy.requests.length = 0
        expect(yield* requestPrice(url, layer)).toMatchObject(price)
        expect([noProxy, proxy.requests.length]).toEqual([noProxy, requests])
      }
    }))

  it.scoped.each([
    ["is unavailable", "http", "connection refused (ECONNREFUSED)"],
    ["requires other credentials", "http", "response 407"],
    ["requires other credentials", "https", "response 407"]
  ])(
    "one that %s is named without credentials, and the %s request is not sent",
    ([what, scheme, reason]) =>
      Effect.gen(function*() {
        const refusing = Http.createServer((_, response) => response.writeHead(407).end("<html>")).on(
          "connect",
          (_, client: Net.Socket) => client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
        )
        const host = what === "is unavailable"
          ? `127.0.0.1:${yield* Server.reservedPort}`
          : yield* Server.listen(refusing)
        vi.stubEnv("HTTP_PROXY", `http://ana:hunter22@${host}`)
        const server = yield* Server.make((response) => response.end(text))
        const url = server.url.replace("http:", `${scheme}:`)
        const result = yield* requestPrice(url, UndiciTransport.layer)
        const summary = expect.stringContaining(`proxy ${host}: ${reason}`)
        expect(result).toMatchObject({ left: { _tag: "NetworkError", summary, sent: false } })
        expect(JSON.stringify(result)).not.toContain("hunter22")
        expect(server.received).toEqual([])
      })
  )

  const url = "expected a URL such as http://proxy.example:3128"
  const invalid = [
    ["a URL without a scheme", "HTTPS_PROXY", "proxy.test:3128", url],
    ["an IP address", "HTTPS_PROXY", "10.0.0.1:3128", url],
    ["a URL of another protocol", "HTTPS_PROXY", "ftp://proxy.test", url],
    [
      "credentials that are not encoded",
      "HTTPS_PROXY",
      "http://user:50%off@proxy.test:3128",
      "expected a user name and a password in which % is written as %25"
    ],
    ["an invalid URL in an option", "httpProxy", "proxy.test:3128", url],
    ["an invalid URL in another option", "httpsProxy", "proxy.test:3128", url]
  ] as const

  it.effect.each(invalid)(
    "with %s fail the layer with the name of the variable or option",
    ([, name, value, message]) =>
      Effect.gen(function*() {
        const isVariable = name === "HTTPS_PROXY"
        if (isVariable) vi.stubEnv(name, value)
        const layer = UndiciTransport.layerWithOptions(isVariable ? {} : { [name]: value })
        expect(yield* Effect.flip(requestPrice("http://host.test", layer))).toMatchObject({
          path: [name],
          message
        })
      })
  )
})

it.effect("a connection that is not open when the attempt times out has no cost", () =>
  Effect.gen(function*() {
    const clients = yield* TestClients.connected({
      baseUrl: "http://host.test",
      timeouts: { attempt: "3 seconds", call: "1 minute" },
      retry: TestClients.immediateRetries(1)
    })
    const call = yield* Effect.fork(CallUsage.withUsage(Effect.either(tokenPrice.call(clients))))
    yield* runPendingWork
    yield* TestClock.adjust("3 seconds")
    expect(yield* Fiber.join(call)).toMatchObject([
      { left: { _tag: "TimeoutError", scope: "attempt" } },
      { attempts: 1, cost: 0 }
    ])
  }).pipe(Effect.provide(UndiciTransport.layerWithOptions({ connect: () => {} }))))

describe("a dispatcher of the program", () => {
  const layerOf = (dispatcher: Dispatcher) =>
    Layer.provide(
      UndiciTransport.layerWithDispatcher,
      Layer.succeed(NodeHttpClient.Dispatcher, dispatcher)
    )

  it.effect("sends the requests, of which none is sent if it throws", () =>
    Effect.gen(function*() {
      const agent = new MockAgent()
      agent.disableNetConnect()
      agent.get("https://host.test").intercept({ path: () => true }).reply(200, text)
      expect(yield* requestPrice("https://host.test", layerOf(agent))).toMatchObject(price)
      const throwing = agent.compose(() => () => {
        throw new Error("rejected by an interceptor")
      })
      const [unexpected, thrown] = yield* Effect.forEach(
        [agent, throwing],
        (dispatcher) => requestPrice("https://host.test", layerOf(dispatcher))
      )
      expect(unexpected).toMatchObject({ left: { _tag: "NetworkError", sent: false } })
      expect(thrown).toMatchObject({
        left: {
          _tag: "NetworkError",
          reason: "the HTTP client failed: Error: rejected by an interceptor",
          sent: false
        }
      })
    }))

  it.effect.each(
    [["of this package", UndiciTransport.layer], ["of the platform", NodeHttpClient.layerUndici]] as const
  )(
    "whose scope is closed is the cause of the error, which is not retried: %s",
    ([, layer]) =>
      Effect.gen(function*() {
        const client = Context.get(yield* Effect.scoped(Layer.build(layer)), HttpClient.HttpClient)
        const clients = yield* TestClients.clientsOver(client, {
          baseUrl: "http://127.0.0.1:9",
          retry: TestClients.immediateRetries(4)
        })
        const [result, { attempts }] = yield* Effect.flip(tokenPrice.call(clients)).pipe(CallUsage.withUsage)
        expect(result).toMatchObject({
          _tag: "NetworkError",
          reason: "UND_ERR_DESTROYED",
          hint: "Keep the scope of its layer open until all calls have ended."
        })
        expect(attempts).toBe(1)
      })
  )
})
