/** The gateway over a real socket, its upstream in the process. */
import * as Engine from "@blockquarry/http/gateway/Engine"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpServer from "@effect/platform/HttpServer"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Gateway from "../src/Gateway.ts"

const options = {
  baseUrl: Sandbox.baseUrls.data,
  apiKey: Redacted.make(Sandbox.apiKey),
  cache: { enabled: true }
}

const sandbox = Sandbox.layerSandbox({ scale: 500 })

const sandboxClient = Layer.effect(HttpClient.HttpClient, Effect.map(Sandbox.Sandbox, Sandbox.httpClient))
  .pipe(
    Layer.provide(sandbox)
  )

const handler = Effect.map(
  Gateway.make(options, new Map([["token-of-alice", "alice"], ["token-of-bob", "bob"]])),
  (handler) => HttpServer.serve(handler)
)

const gateway = Layer.unwrapEffect(handler).pipe(
  Layer.provide([Engine.layer, sandboxClient]),
  Layer.provideMerge(NodeHttpServer.layerTest),
  Layer.provideMerge(sandbox)
)

/** Sends a request, and returns the status and the body. */
const get = (path: string, token: string) =>
  Effect.gen(function*() {
    const client = yield* HttpClient.HttpClient
    const response = yield* client.get(path, { headers: { "x-api-key": token } })
    return [response.status, yield* response.json] as const
  })

layer(gateway)("gateway", (it) => {
  it.effect("passes responses on, which clients share", () =>
    Effect.gen(function*() {
      const { ledger: { examples }, recordedRequests } = yield* Sandbox.Sandbox
      const price = `/api/v2.2/erc20/${examples.token}/price`
      const [status, body] = yield* get(`${price}?chain=eth`, "token-of-alice")
      expect([status, body]).toEqual([200, expect.objectContaining({ tokenAddress: examples.token })])
      // The same request in another form
      expect(yield* get(`${price}?chain=0x1`, "token-of-bob")).toEqual([200, body])
      expect(yield* recordedRequests).toHaveLength(1)
    }))

  it.effect("passes errors of the upstream on, and rejects what it does not send", () =>
    Effect.gen(function*() {
      const { ledger: { examples } } = yield* Sandbox.Sandbox
      const price = (address: string) => `/api/v2.2/erc20/${address}/price`
      expect((yield* get(price(examples.unpricedToken), "token-of-alice"))[0]).toBe(404)
      expect(yield* get(price("0x12"), "token-of-alice")).toEqual([400, {
        error: expect.stringContaining("address")
      }])
      expect(yield* get("/nowhere", "token-of-alice")).toEqual([404, { error: "unknown path" }])
      expect(yield* get(price(examples.token), "unknown")).toEqual([401, { error: "unknown token" }])
    }))
})
