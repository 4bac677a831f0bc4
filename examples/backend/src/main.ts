/**
 * Runs the backend on the port PORT of this machine, by default 3000, with the embedded sandbox, without an account.
 *
 * To use a real service, replace `sandboxDataApi` with `DataApi.layerConfig()`, provide `UndiciTransport.layer`, and
 * set QUARRY_API_KEY and QUARRY_BASE_URL.
 */
import * as DataApi from "@blockquarry/http/DataApi"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServer from "@effect/platform/HttpServer"
import * as Config from "effect/Config"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createServer } from "node:http"
import { BackendApi } from "./Api.ts"
import { handlers } from "./Handlers.ts"

const sandboxDataApi = DataApi.layer({
  baseUrl: Sandbox.baseUrls.data,
  apiKey: Redacted.make(Sandbox.apiKey)
}).pipe(
  Layer.provide(Sandbox.layer())
)

HttpApiBuilder.serve().pipe(
  Layer.provide(HttpApiBuilder.api(BackendApi)),
  Layer.provide(handlers),
  Layer.provide(sandboxDataApi),
  HttpServer.withLogAddress,
  Layer.provide(
    NodeHttpServer.layerConfig(createServer, {
      host: Config.succeed("127.0.0.1"),
      port: Config.withDefault(Config.integer("PORT"), 3000)
    })
  ),
  Layer.launch,
  NodeRuntime.runMain
)
