/** Runs the gateway on the port PORT of this machine, by default 3000, with the embedded sandbox, without an account. */
import * as Engine from "@blockquarry/http/gateway/Engine"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as HttpServer from "@effect/platform/HttpServer"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createServer } from "node:http"
import * as Gateway from "./Gateway.ts"

const options = {
  baseUrl: Sandbox.baseUrls.data,
  apiKey: Redacted.make(Sandbox.apiKey),
  cache: { enabled: true }
}

const clients = new Map([["token-of-alice", "alice"], ["token-of-bob", "bob"]])

Layer.unwrapEffect(Effect.map(Gateway.make(options, clients), (handler) => HttpServer.serve(handler))).pipe(
  // For a real service: `UndiciTransport.layer`
  Layer.provide([Engine.layer, Sandbox.layer()]),
  HttpServer.withLogAddress,
  Layer.provide(NodeHttpServer.layerConfig(createServer, {
    host: Config.succeed("127.0.0.1"),
    port: Config.withDefault(Config.integer("PORT"), 3000)
  })),
  Layer.launch,
  NodeRuntime.runMain
)
