/** The operations and their paths, from their descriptors. */
import { type AnyOperation, isList, type Parameter, pathPrefix } from "@blockquarry/core/Operation"
import * as ListStream from "../../pipeline/ListStream.ts"
import { ledgerNetworks } from "../../pipeline/ParseRequest.ts"
import { prefixes } from "../../pipeline/Router.ts"
import { errorResponsesOf } from "./ErrorResponses.ts"
import * as ResponseHeaders from "./ResponseHeaders.ts"
import { type DescribedOperation, type JsonObject, reference, responseSchemaName } from "./ResponseSchemas.ts"

const networks = Object.keys(ledgerNetworks)

const parametersOf = ({ api, parameters }: DescribedOperation): ReadonlyArray<JsonObject> => [
  ...parameters.filter((parameter) => parameter.in !== "body").flatMap(describeParameter),
  ...(api === "ledger"
    ? [{
      name: "network",
      in: "query",
      required: false,
      description: "which ledger to ask; read by the proxy and not sent on",
      schema: { type: "string", enum: networks, default: networks[0] }
    }]
    : [])
]

/** A parameter of several values has two names: both are read, as are `name[0]=…` and values parted by commas. */
const describeParameter = (
  { description, in: location, jsonSchema, name, required }: Parameter
): ReadonlyArray<JsonObject> => {
  const described = { in: location, required, description, schema: jsonSchema }
  return jsonSchema.type === "array"
    ? [name, `${name}[]`].map((spelling) => ({ name: spelling, ...described, style: "form", explode: true }))
    : [{ name, ...described }]
}

const bodyOf = ({ method, parameters }: DescribedOperation): JsonObject => {
  if (method === "GET") return {}
  const members = parameters.filter((parameter) => parameter.in === "body")
  return {
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            type: "object",
            required: members.filter(({ required }) => required).map(({ name }) => name),
            properties: Object.fromEntries(
              members.map(({ description, jsonSchema, name }) => [name, { ...jsonSchema, description }])
            )
          }
        }
      }
    }
  }
}

const operationOf = (operation: DescribedOperation, alias: boolean): JsonObject => ({
  operationId: alias ? `${operation.id}V1` : operation.id,
  tags: [operation.api],
  summary: operation.docs.summary,
  ...(operation.docs.knownIssue === undefined
    ? {}
    : {
      description: `Known issue: ${operation.docs.knownIssue}`,
      "x-known-issue": operation.docs.knownIssue
    }),
  parameters: parametersOf(operation),
  ...bodyOf(operation),
  responses: {
    "200": {
      description: "the service's answer, byte for byte",
      headers: ResponseHeaders.operationResponseHeaders,
      content: { "application/json": { schema: reference(responseSchemaName(operation.id)) } }
    },
    ...(operation.method === "GET"
      ? { "304": { description: "the client has this answer already, as If-None-Match said" } }
      : {}),
    ...errorResponsesOf(operation)
  }
})

/** A whole list under our own prefix: the same question, without an end. */
const listOf = (operation: DescribedOperation): JsonObject => ({
  operationId: `${operation.id}All`,
  tags: ["lists"],
  summary: `${operation.docs.summary} (the whole list)`,
  description:
    "Every record as a line of JSON, page after page, as fast as they are read. The last line is " +
    "`{\"end\":{\"records\":n}}`, or `{\"failure\":{…},\"cursor\":…}` where the list broke off; a stream without such a " +
    "line was cut. `cursor` continues a list that broke off. Each page costs budget.",
  parameters: parametersOf(operation),
  responses: {
    "200": {
      description: "records, a line each, and a last line",
      headers: { "X-Request-Id": { $ref: "#/components/headers/RequestId" } },
      content: { "application/x-ndjson": { schema: { type: "string" } } }
    },
    ...errorResponsesOf(operation)
  }
})

const template = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}")

/** The paths of an operation, and what is there. */
export const pathsOf = (operation: AnyOperation): ReadonlyArray<readonly [string, JsonObject]> => [
  ...prefixes(operation).map((start, index) =>
    [
      template(start + operation.path),
      { [operation.method.toLowerCase()]: operationOf(operation, index > 0) }
    ] as const
  ),
  ...(isList(operation)
    ? [
      [template(ListStream.listPrefix.slice(0, -1) + pathPrefix[operation.api] + operation.path), {
        get: listOf(operation)
      }] as const
    ]
    : [])
]
