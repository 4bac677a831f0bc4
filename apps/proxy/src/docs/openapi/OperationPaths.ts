/** Path items of the operations. */
import { type AnyOperation, isList, type Parameter, pathPrefix } from "@blockquarry/core/Operation"
import type { Cost } from "../../config/Config.ts"
import * as ListStream from "../../pipeline/ListStream.ts"
import { ledgerNetworks } from "../../pipeline/ParseRequest.ts"
import { prefixes } from "../../pipeline/Router.ts"
import type { CostTable } from "../../quota/CostTable.ts"
import { errorResponsesOf } from "./ErrorResponses.ts"
import { type DescribedOperation, type JsonObject, reference, responseSchemaName } from "./ResponseSchemas.ts"

/** Headers that the proxy adds to responses, with an example and the meaning. */
const responseHeaders = [
  ["X-Request-Id", "", "ID of the request in the proxy's log: the client's X-Request-Id, or a new one."],
  [
    "Cache-Status",
    "quarry-proxy; hit; ttl=12",
    "Cache result (RFC 9211): hit with the remaining TTL in seconds, or fwd with the reason for the upstream request. detail=stale marks a stale response, served during a refresh or after an upstream failure; detail=no-cache-ignored a no-cache of the request that did not apply."
  ],
  ["Age", "3", "Age of the response in seconds."],
  ["ETag", "W/\"…\"", "Entity tag of the response, for If-None-Match."],
  [
    "RateLimit",
    "\"rate\";r=31;t=1",
    "Remaining units (r) of your rate limit and quotas, and the seconds until more are available (t). The limit retry replaces a Retry-After of more than 60 s."
  ],
  ["RateLimit-Policy", "\"rate\";q=50;w=1", "Units (q) per window in seconds (w)."],
  ["X-Quota-Warning", "", "The quotas of RateLimit whose soft limit is used up, such as month, team-month."],
  ["Retry-After", "7", "With 429 and 503: seconds to wait before a retry, at most 60. See RateLimit."]
] as const

export const headers: JsonObject = Object.fromEntries(
  responseHeaders.map(([name, example, description]) => [name, {
    description,
    schema: { type: "string" },
    ...example === "" ? {} : { example }
  }])
)

/** Headers of every response to an operation. */
const operationResponseHeaders: JsonObject = Object.fromEntries(
  responseHeaders.filter(([name]) => name !== "Retry-After")
    .map(([name]) => [name, { $ref: `#/components/headers/${name}` }])
)

const networks = Object.keys(ledgerNetworks)

type Input = Pick<Parameter, "description" | "in" | "jsonSchema" | "name" | "required">

const network: Input = {
  name: "network",
  in: "query",
  required: false,
  description: "Ledger network; selects the upstream and is not forwarded",
  jsonSchema: { type: "string", enum: networks, default: networks[0] }
}

const parametersOf = ({ api, parameters }: DescribedOperation): ReadonlyArray<JsonObject> =>
  [...parameters.filter((parameter) => parameter.in !== "body"), ...(api === "ledger" ? [network] : [])]
    .flatMap(describeParameter)

/**
 * Describes an array parameter under both names that clients use. The proxy also accepts `name[0]=…` and comma-separated
 * values.
 */
const describeParameter = (
  { description, in: location, jsonSchema, name, required }: Input
): ReadonlyArray<JsonObject> => {
  const described = { in: location, required, description, schema: jsonSchema }
  return jsonSchema.type === "array"
    ? [name, `${name}[]`].map((alias) => ({ name: alias, ...described, style: "form", explode: true }))
    : [{ name, ...described }]
}

const bodyOf = ({ method, parameters }: DescribedOperation): JsonObject => {
  if (method === "GET") return {}
  const fields = parameters.filter((parameter) => parameter.in === "body")
  return {
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            type: "object",
            required: fields.filter(({ required }) => required).map(({ name }) => name),
            properties: Object.fromEntries(
              fields.map(({ description, jsonSchema, name }) => [name, { ...jsonSchema, description }])
            )
          }
        }
      }
    }
  }
}

const operationOf = (operation: DescribedOperation, cost: Cost, alias: boolean): JsonObject => ({
  operationId: alias ? `${operation.id}V1` : operation.id,
  tags: [operation.api],
  summary: operation.docs.summary,
  ...(operation.docs.knownIssue === undefined
    ? {}
    : {
      description: `Known issue: ${operation.docs.knownIssue}`,
      "x-known-issue": operation.docs.knownIssue
    }),
  ...costOf(cost),
  parameters: parametersOf(operation),
  ...bodyOf(operation),
  responses: {
    "200": {
      description: "Upstream response, byte for byte",
      headers: operationResponseHeaders,
      content: { "application/json": { schema: reference(responseSchemaName(operation.id)) } }
    },
    ...(operation.method === "GET" ? { "304": { description: "Not modified (If-None-Match)" } } : {}),
    ...errorResponsesOf(operation)
  }
})

const costOf = ({ per, price, rateCost }: Cost): JsonObject => ({
  "x-cost-units": price,
  "x-rate-cost-units": rateCost,
  ...(per === undefined ? {} : { "x-cost-per": per.parameter, "x-cost-max-items": per.maxItems })
})

const endLine: JsonObject = {
  name: "end",
  in: "query",
  required: false,
  description: "Whether a complete list has the last line `{\"end\":…}`, which tools take for a record",
  schema: { type: "boolean", default: true }
}

/** Describes the streaming variant of a list under `/all`. */
const listOf = (operation: DescribedOperation, cost: Cost): JsonObject => ({
  operationId: `${operation.id}All`,
  tags: ["lists"],
  summary: `${operation.docs.summary} (all records)`,
  description:
    "Streams every record as one line of JSON. The last line is `{\"end\":{\"records\":n}}`, with `leftOut` if " +
    "records that the page before had too were left out, and `unidentified` if records without an identity may be repeated, or " +
    "`{\"failure\":{…},\"cursor\":…}` if the list failed: then the connection is closed before the end of the response, which " +
    "clients report as an error. `cursor` resumes a failed list. Each page is charged to the client.",
  ...costOf(cost),
  parameters: [...parametersOf(operation), endLine],
  responses: {
    "200": {
      description: "Records as NDJSON and a final line",
      headers: { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } },
      content: { "application/x-ndjson": { schema: { type: "string" } } }
    },
    ...errorResponsesOf(operation)
  }
})

/** Returns a path with its parameters as `{name}`. */
const template = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}")

export const pathsOf = (
  operation: AnyOperation,
  costs: CostTable
): ReadonlyArray<readonly [string, JsonObject]> => {
  const cost = costs.of(operation)
  return [
    ...prefixes(operation).map((start, index) =>
      [
        template(start + operation.path),
        { [operation.method.toLowerCase()]: operationOf(operation, cost, index > 0) }
      ] as const
    ),
    ...(isList(operation)
      ? [
        [template(ListStream.listPrefix + pathPrefix[operation.api] + operation.path), {
          get: listOf(operation, cost)
        }] as const
      ]
      : [])
  ]
}
