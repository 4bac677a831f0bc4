/** What the built program sends through the HTTP proxies of its environment, over real sockets. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Jose from "jose"
import * as Http from "node:http"
import * as Https from "node:https"
import * as Net from "node:net"
import * as Certificate from "../../../packages/http/test/support/Certificate.ts"
import * as Server from "../../../packages/http/test/support/Server.ts"
import * as ProxyProcess from "./fleet/support/ProxyProcess.ts"
import * as TempFolder from "./fleet/support/TempFolder.ts"
import * as OtlpCollector from "./support/OtlpCollector.ts"
import { sendRequest } from "./support/proxy.ts"
import { sampleRequests } from "./support/sampleRequests.ts"

/** Starts a proxy that, like Squid, opens tunnels to ports of TLS only, and forwards requests with a whole URL. */
const egressProxy = (tlsPort: number) =>
  Effect.gen(function*() {
    const requests: Array<string> = []
    const sockets = new Set<Net.Socket>()
    const server = Http.createServer((request, response) => {
      const { headers, method = "", url = "" } = request
      requests.push(`${method} ${url}`)
      const upstream = Http.request(url, { method, headers, agent: false }, (received) => {
        response.writeHead(received.statusCode ?? 502, received.headers)
        received.pipe(response)
      })
      request.pipe(upstream.on("error", () => response.destroy()))
    }).on("connect", ({ url = "" }, client: Net.Socket) => {
      requests.push(`CONNECT ${url}`)
      if (!url.endsWith(`:${tlsPort}`)) return client.end("HTTP/1.1 403 Forbidden\r\n\r\n")
      const upstream = Net.connect(tlsPort, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 Connection Established\r\n\r\n")
        upstream.pipe(client).pipe(upstream)
      })
      for (const socket of [client, upstream]) sockets.add(socket.on("error", () => {}))
      return upstream
    })
    const host = yield* Server.listen(server)
    yield* Effect.addFinalizer(() => Effect.sync(() => sockets.forEach((socket) => socket.destroy())))
    return { url: `http://${host}`, requests }
  })

it.scopedLive("requests to upstreams, the keys of JWTs and telemetry go through the proxy", () =>
  Effect.gen(function*() {
    const { privateKey, publicKey } = yield* Effect.promise(() =>
      Jose.generateKeyPair("ES256", { extractable: true })
    )
    const jwk = yield* Effect.promise(() => Jose.exportJWK(publicKey))
    const keys = JSON.stringify({ keys: [{ ...jwk, kid: "a", alg: "ES256", use: "sig" }] })
    const certificate = Certificate.make()
    const issuer = yield* Server.listen(Https.createServer(certificate, (_, response) => response.end(keys)))
    const upstream = yield* Server.make((response) => response.end("{\"usdPrice\":1.5}"))
    const collector = yield* OtlpCollector.make
    const proxy = yield* egressProxy(Number(new URL(`https://${issuer}`).port))
    const { path, write } = yield* TempFolder.make
    yield* write("key", "secret-of-the-upstream")
    yield* write("ca.pem", certificate.cert)
    const document = {
      listen: { port: 0 },
      admin: { port: 0 },
      clients: [{ name: "shop", tokens: [], subjects: ["svc-shop"] }],
      jwt: { issuer: "https://issuer.test", audience: "quarry", jwks: `https://${issuer}/jwks` },
      upstream: { baseUrls: { data: upstream.url }, keys: [{ name: "main", secret: { file: "./key" } }] }
    }
    const running = yield* ProxyProcess.start([
      "--config",
      yield* write("proxy.yaml", JSON.stringify(document))
    ], {
      HTTP_PROXY: proxy.url,
      HTTPS_PROXY: proxy.url,
      NODE_EXTRA_CA_CERTS: path("ca.pem"),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url
    })
    const token = yield* Effect.promise(() =>
      new Jose.SignJWT({ sub: "svc-shop", aud: "quarry", iss: "https://issuer.test" }).setExpirationTime("1h")
        .setProtectedHeader({ alg: "ES256", kid: "a" }).sign(privateKey)
    )
    const { status } = yield* sendRequest(running.port, sampleRequests["tokenPrice"]?.path ?? "", {
      headers: { authorization: `Bearer ${token}` }
    })
    expect(status).toBe(200)
    yield* running.signal("SIGTERM")
    expect(yield* running.exit).toEqual(ProxyProcess.stopped)
    const hosts = new Set(proxy.requests.map((request) => request.replace(/(\d)\/.*/, "$1")))
    expect([...hosts].sort()).toEqual([
      `CONNECT ${issuer}`,
      `GET ${upstream.url}`,
      `POST ${collector.url}`
    ])
    expect(new Set(collector.received.map(({ path }) => path))).toContain("/v1/traces")
  }))
