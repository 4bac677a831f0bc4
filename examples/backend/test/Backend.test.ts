/** The backend over a real server, its upstream in the process. */
import { Erc20Transfer } from "@blockquarry/core/model/Erc20Transfer"
import * as DataApi from "@blockquarry/http/DataApi"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { BackendApi } from "../src/Api.ts"
import { handlers } from "../src/Handlers.ts"

const sandboxDataApi = DataApi.layer({
  baseUrl: Sandbox.baseUrls.data,
  apiKey: Redacted.make(Sandbox.apiKey)
})

const decode = Schema.decodeSync(Schema.parseJson(Erc20Transfer))

const backend = HttpApiBuilder.serve().pipe(
  Layer.provide(HttpApiBuilder.api(BackendApi)),
  Layer.provide(handlers),
  Layer.provide(sandboxDataApi),
  Layer.provide(Layer.effect(HttpClient.HttpClient, Effect.map(Sandbox.Sandbox, Sandbox.httpClient))),
  Layer.provideMerge(NodeHttpServer.layerTest),
  Layer.provideMerge(Sandbox.layerSandbox({ scale: 500 }))
)

layer(backend)("backend", (it) => {
  it.effect("returns a price with its type", () =>
    Effect.gen(function*() {
      const { ledger } = yield* Sandbox.Sandbox
      const api = yield* HttpApiClient.make(BackendApi)
      const price = yield* api.chain.price({
        path: { address: ledger.examples.token },
        urlParams: { chain: "eth" }
      })
      expect(price.tokenAddress).toBe(ledger.examples.token)
      expect(price.usdPrice).toBeGreaterThan(0)
    }))

  it.effect("fails with a typed error for an unknown token", () =>
    Effect.gen(function*() {
      const { ledger } = yield* Sandbox.Sandbox
      const api = yield* HttpApiClient.make(BackendApi)
      const error = yield* api.chain.price({ path: { address: ledger.examples.wallet }, urlParams: {} }).pipe(
        Effect.flip
      )
      expect(error).toMatchObject({ _tag: "PriceNotFoundError" })
    }))

  it.effect("streams every transfer of a wallet, each once", () =>
    Effect.gen(function*() {
      const { ledger } = yield* Sandbox.Sandbox
      const { busyWallet } = ledger.examples
      const client = yield* HttpClient.HttpClient
      const text = yield* Effect.flatMap(
        client.get(`/wallets/${busyWallet}/transfers?chain=eth`),
        ({ text }) => text
      )
      const transfers = text.trimEnd().split("\n").map((line) => decode(line))
      expect(transfers.length).toBe(ledger.chains.get("eth")?.walletTransfers(busyWallet).length)
      expect(new Set(transfers.map((transfer) => `${transfer.transaction_hash}:${transfer.log_index}`)).size)
        .toBe(transfers.length)
    }))

  it.effect("breaks the connection if a list fails after its first page", () =>
    Effect.gen(function*() {
      const { ledger, queueFaults } = yield* Sandbox.Sandbox
      const client = yield* HttpClient.HttpClient
      yield* queueFaults({}, { status: 400 })
      const response = yield* client.get(`/wallets/${ledger.examples.busyWallet}/transfers?chain=eth`)
      expect(response.status).toBe(200)
      expect(yield* Effect.flip(response.text)).toMatchObject({ _tag: "ResponseError" })
    }))
})
