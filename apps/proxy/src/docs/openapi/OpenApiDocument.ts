/**
 * The OpenAPI 3.1 document of the proxy, generated from the operations.
 *
 * The proxy passes upstream responses through byte for byte. Their schemas are therefore wider than the models of the
 * library: they permit additional fields, and numbers and booleans in every encoding that upstreams use.
 */
import { allOperations } from "@blockquarry/core/Operations"
import type { Config } from "../../config/Config.ts"
import * as ProxyError from "../../exchange/ProxyError.ts"
import { errorResponses } from "./ErrorResponses.ts"
import { pathsOf } from "./OperationPaths.ts"
import { headers } from "./ResponseHeaders.ts"
import { type JsonObject, responseSchemas } from "./ResponseSchemas.ts"

const proxyPath = (operationId: string, summary: string, responses: JsonObject): JsonObject => ({
  get: { operationId, tags: ["proxy"], summary, responses }
})

const jsonResponse = (description: string): JsonObject => ({
  description,
  content: { "application/json": { schema: { type: "object" } } }
})

const proxyPaths: JsonObject = {
  "/livez": proxyPath("livez", "Liveness", { "200": jsonResponse("The process is running") }),
  "/readyz": proxyPath("readyz", "Readiness and configured upstreams", {
    "200": jsonResponse("Ready"),
    "503": jsonResponse("Not configured, or shutting down")
  }),
  "/openapi.json": proxyPath("openapi", "This document", { "200": jsonResponse("OpenAPI 3.1") })
}

/** Returns the document. `x-cost-units` is the effective cost of each operation. */
export const document = (costs: Config["costs"]): JsonObject => ({
  openapi: "3.1.0",
  info: {
    title: "quarry-proxy",
    version: "2.2",
    summary: "Caching proxy for indexed blockchain data APIs",
    description:
      "Serves the paths of all three APIs on one origin. The proxy adds the API key. Clients send a token of the proxy " +
      "instead, or none if anonymous access is enabled. Upstream responses are passed through byte for byte."
  },
  servers: [{ url: "/" }],
  // The empty requirement stands for anonymous access. ApiKeyAuth is the name in the upstream's OpenAPI document, which
  // generated clients refer to.
  security: [{ ApiKeyAuth: [] }, { bearer: [] }, {}],
  tags: [
    { name: "data", description: "Indexed data of EVM chains" },
    { name: "streams", description: "Streams" },
    { name: "ledger", description: "Ledger transactions" },
    { name: "lists", description: "Streaming lists" },
    { name: "proxy", description: "The proxy itself" }
  ],
  paths: {
    ...Object.fromEntries(allOperations.flatMap((operation) => pathsOf(operation, costs))),
    ...proxyPaths
  },
  components: {
    schemas: {
      ...responseSchemas(allOperations),
      ProxyError: {
        type: "object",
        description: "Error of the proxy",
        required: ["message", "code", "requestId"],
        properties: {
          message: { type: "string", description: "Description of the error and how to fix it" },
          code: { type: "string", enum: Object.keys(ProxyError.statusByCode) },
          requestId: { type: "string" }
        }
      }
    },
    headers,
    responses: errorResponses(),
    securitySchemes: {
      ApiKeyAuth: { type: "apiKey", in: "header", name: "X-API-Key", description: "Token of this proxy" },
      bearer: { type: "http", scheme: "bearer", description: "The same token" }
    }
  }
})
