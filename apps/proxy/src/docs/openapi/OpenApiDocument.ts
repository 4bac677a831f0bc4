/**
 * The OpenAPI 3.1 document of the proxy, generated from the operations.
 *
 * The proxy passes upstream responses through byte for byte. Their schemas are therefore wider than the models of the
 * library: they permit additional fields, and numbers and booleans in every encoding that upstreams use.
 */
import { allOperations } from "@blockquarry/core/Operations"
import * as Rec from "effect/Record"
import { errorCodes } from "../../exchange/ErrorCode.ts"
import type { CostTable } from "../../quota/CostTable.ts"
import { errorResponses } from "./ErrorResponses.ts"
import { headers, pathsOf } from "./OperationPaths.ts"
import { type JsonObject, responseSchemas } from "./ResponseSchemas.ts"

/** Describes a page of the proxy. `responses` has the meaning of each status. */
const pageOf = (operationId: string, summary: string, responses: Readonly<Record<string, string>>) => ({
  get: {
    operationId,
    tags: ["proxy"],
    summary,
    responses: Rec.map(responses, (description) => ({
      description,
      content: { "application/json": { schema: { type: "object" } } }
    }))
  }
})

const info = {
  title: "quarry-proxy",
  version: "2.2",
  summary: "Caching proxy for indexed blockchain data APIs",
  description:
    "Serves the paths of all three APIs on one origin. The proxy adds the API key. Clients send a token of the proxy " +
    "instead, or none if anonymous access is enabled. Upstream responses are passed through byte for byte."
}

const tags = [
  { name: "data", description: "Indexed data of EVM chains" },
  { name: "streams", description: "Streams" },
  { name: "ledger", description: "Ledger transactions" },
  { name: "lists", description: "Streaming lists" },
  { name: "proxy", description: "The proxy itself" }
]

/** Returns the document. `x-cost-units` is the effective price of each operation, and `x-rate-cost-units` the rate cost. */
export const document = (costs: CostTable): JsonObject => ({
  openapi: "3.1.0",
  info,
  servers: [{ url: "/" }],
  // The empty requirement stands for anonymous access. ApiKeyAuth is the name in the upstream's OpenAPI document, which
  // generated clients refer to.
  security: [{ ApiKeyAuth: [] }, { bearer: [] }, {}],
  tags,
  paths: {
    ...Object.fromEntries(allOperations.flatMap((operation) => pathsOf(operation, costs))),
    "/livez": pageOf("livez", "Liveness", { "200": "The process is running" }),
    "/readyz": pageOf("readyz", "Readiness and configured upstreams", {
      "200": "Ready",
      "503": "Not configured, or shutting down"
    }),
    "/openapi.json": pageOf("openapi", "This document", { "200": "OpenAPI 3.1" })
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
          code: { type: "string", enum: Object.keys(errorCodes) },
          requestId: { type: "string" }
        }
      }
    },
    headers,
    responses: errorResponses,
    securitySchemes: {
      ApiKeyAuth: { type: "apiKey", in: "header", name: "X-API-Key", description: "Token of this proxy" },
      bearer: { type: "http", scheme: "bearer", description: "The same token" }
    }
  }
})
