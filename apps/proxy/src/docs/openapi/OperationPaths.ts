/** Path items of the operations. */
import { type AnyOperation, isList, type Parameter, pathPrefix } from "@blockquarry/core/Operation"
import * as Rec from "effect/Record"
import type { Config } from "../../config/Config.ts"
import { costOf } from "../../exchange/Charge.ts"
import * as ListStream from "../../pipeline/ListStream.ts"
import { ledgerNetworks } from "../../pipeline/ParseRequest.ts"
import { prefixes } from "../../pipeline/Router.ts"
import { errorResponsesOf } from "./ErrorResponses.ts"
import { type DescribedOperation, type JsonObject, reference, responseSchemaName } from "./ResponseSchemas.ts"

const header = (description: string, type: "string" | "integer" = "string"): JsonObject => ({
  description,
  schema: { type }
})

/** Headers that the proxy adds to responses. */
export const headers = {
  RequestId: header("Request ID: the client's X-Request-Id if valid, otherwise generated"),
  CacheStatus: header("Cache result (RFC 9211), for example `quarry-proxy; hit; ttl=5`"),
  Age: header("Age of the cached response in seconds", "integer"),
  ETag: header(
    "Entity tag for conditional requests (If-None-Match)"
  ),
  RateLimit: header(
    "Remaining units of the client's rate limit and daily quota, for example `\"rate\";r=47;t=1, \"day\";r=9800;t=3600`"
  ),
  RateLimitPolicy: header(
    "The client's rate limit and daily quota, for example `\"rate\";q=50;w=1, \"day\";q=10000;w=86400`"
  ),
  RetryAfter: header("When to retry: seconds or a date")
}

const headerReference = (name: keyof typeof headers): JsonObject => ({ $ref: `#/components/headers/${name}` })

/** Headers of every response to an operation. */
const operationResponseHeaders: JsonObject = {
  "X-Request-Id": headerReference("RequestId"),
  "Cache-Status": headerReference("CacheStatus"),
  Age: headerReference("Age"),
  ETag: headerReference("ETag"),
  RateLimit: headerReference("RateLimit"),
  "RateLimit-Policy": headerReference("RateLimitPolicy")
}

const networks = Object.keys(ledgerNetworks)

type Input = Pick<Parameter, "description" | "in" | "jsonSchema" | "name" | "required">

const network: Input = {
  name: "network",
  in: "query",
  required: false,
  description: "Ledger network; selects the upstream and is not forwarded",
  jsonSchema: { type: "string", enum: networks, default: networks[0] }
}

/** Returns the parameters of an operation: those of the path and the query, then the fields of the body. */
export const inputsOf = ({ api, parameters }: DescribedOperation): ReadonlyArray<Input> => [
  ...parameters.filter((parameter) => parameter.in !== "body"),
  ...(api === "ledger" ? [network] : []),
  ...parameters.filter((parameter) => parameter.in === "body")
]

const parametersOf = (operation: DescribedOperation): ReadonlyArray<JsonObject> =>
  inputsOf(operation).filter((input) => input.in !== "body").flatMap(describeParameter)

export const successesOf = ({ method }: DescribedOperation): Readonly<Record<string, string>> => ({
  "200": "Upstream response, byte for byte",
  ...(method === "GET" ? { "304": "Not modified (If-None-Match)" } : {})
})

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

const operationOf = (operation: DescribedOperation, cost: number, alias: boolean): JsonObject => ({
  operationId: alias ? `${operation.id}V1` : operation.id,
  tags: [operation.api],
  summary: operation.docs.summary,
  ...(operation.docs.knownIssue === undefined
    ? {}
    : {
      description: `Known issue: ${operation.docs.knownIssue}`,
      "x-known-issue": operation.docs.knownIssue
    }),
  "x-cost-units": cost,
  parameters: parametersOf(operation),
  ...bodyOf(operation),
  responses: {
    ...Rec.map(successesOf(operation), (description, status) =>
      status === "200"
        ? {
          description,
          headers: operationResponseHeaders,
          content: { "application/json": { schema: reference(responseSchemaName(operation.id)) } }
        }
        : { description }),
    ...errorResponsesOf(operation)
  }
})

/** Describes the streaming variant of a list under `/all`. */
const listOf = (operation: DescribedOperation, cost: number): JsonObject => ({
  operationId: `${operation.id}All`,
  tags: ["lists"],
  summary: `${operation.docs.summary} (all records)`,
  description: "Streams every record as one line of JSON. The last line is `{\"end\":{\"records\":n}}`, or " +
    "`{\"failure\":{…},\"cursor\":…}` if the list failed; if it is missing, the stream was cut off. `cursor` resumes a " +
    "failed list. Each page is charged to the client.",
  "x-cost-units": cost,
  parameters: parametersOf(operation),
  responses: {
    "200": {
      description: "Records as NDJSON and a final line",
      headers: { "X-Request-Id": { $ref: "#/components/headers/RequestId" } },
      content: { "application/x-ndjson": { schema: { type: "string" } } }
    },
    ...errorResponsesOf(operation)
  }
})

/** Returns a path with its parameters as `{name}`. */
export const template = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}")

export const pathsOf = (
  operation: AnyOperation,
  costs: Config["costs"]
): ReadonlyArray<readonly [string, JsonObject]> => {
  const cost = costOf({ costs }, operation)
  return [
    ...prefixes(operation).map((start, index) =>
      [
        template(start + operation.path),
        { [operation.method.toLowerCase()]: operationOf(operation, cost, index > 0) }
      ] as const
    ),
    ...(isList(operation)
      ? [
        [template(ListStream.listPrefix.slice(0, -1) + pathPrefix[operation.api] + operation.path), {
          get: listOf(operation, cost)
        }] as const
      ]
      : [])
  ]
}
