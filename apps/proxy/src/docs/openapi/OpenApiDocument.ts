/**
 * The proxy's OpenAPI 3.1 document, derived from the operations' descriptors: there is no second contract.
 *
 * Answers are the service's own bytes, so their schemas are wider than the models read from them: more members may
 * come, and numbers and flags come in every spelling that services use.
 */
import { allOperations } from "@blockquarry/core/Operations"
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
  "/livez": proxyPath("livez", "Whether the process lives", { "200": jsonResponse("it does") }),
  "/readyz": proxyPath("readyz", "Whether the proxy is worth asking, and which addresses are behind it", {
    "200": jsonResponse("ready"),
    "503": jsonResponse("not configured, or stopping")
  }),
  "/openapi.json": proxyPath("openapi", "This document", { "200": jsonResponse("OpenAPI 3.1") })
}

/** The whole document. */
export const document = (): JsonObject => ({
  openapi: "3.1.0",
  info: {
    title: "quarry-proxy",
    version: "2.2",
    summary: "The indexed-chain service inside your network",
    description:
      "The service's own paths of all three APIs on one origin. The proxy brings the key; clients send a token of " +
      "the proxy in its place, unless it is open. Answers are the service's, byte for byte."
  },
  servers: [{ url: "/" }],
  // A proxy without clients is open: then nothing is asked for.
  // The first is named as in the service's own description: programs that are made for it go by the name.
  security: [{ ApiKeyAuth: [] }, { bearer: [] }, {}],
  tags: [
    { name: "data", description: "Indexed data of EVM chains" },
    { name: "streams", description: "Streams" },
    { name: "ledger", description: "Transactions of the ledger" },
    { name: "lists", description: "Whole lists, line by line" },
    { name: "proxy", description: "The proxy itself" }
  ],
  paths: { ...Object.fromEntries(allOperations.flatMap(pathsOf)), ...proxyPaths },
  components: {
    schemas: {
      ...responseSchemas(allOperations),
      Failure: {
        type: "object",
        description: "A failure of the proxy's own",
        required: ["message", "code", "requestId"],
        properties: {
          message: { type: "string", description: "what happened and what to do" },
          code: { type: "string", enum: Object.keys(ProxyError.statusByCode) },
          requestId: { type: "string" }
        }
      }
    },
    headers,
    responses: errorResponses(),
    securitySchemes: {
      ApiKeyAuth: { type: "apiKey", in: "header", name: "X-API-Key", description: "a token of this proxy" },
      bearer: { type: "http", scheme: "bearer", description: "the same token" }
    }
  }
})
