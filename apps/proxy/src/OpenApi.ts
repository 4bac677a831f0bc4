/**
 * The proxy's OpenAPI 3.1 document, derived from the operations' descriptors: there is no second contract.
 *
 * Answers are the service's own bytes, so their schemas are wider than the models read from them: more members may
 * come, and numbers and flags come in every spelling that services use.
 */
import type { AnyOperation } from "@blockquarry/core/Operation"
import type { Operation, Parameter } from "@blockquarry/core/Operation"
import { all } from "@blockquarry/core/operations/index"
import * as JSONSchema from "effect/JSONSchema"
import type * as Schema from "effect/Schema"
import { ledgers } from "./Config.ts"
import * as Failure from "./Failure.ts"
import { prefixes } from "./Router.ts"

type JsonObject = { readonly [member: string]: unknown }

/** What describing an operation needs of it. */
type Described =
  & Pick<Operation<never, never, never, never>, "id" | "api" | "method" | "path" | "parameters" | "docs">
  & {
    readonly output: Schema.Schema.AnyNoContext
  }

const integers = [{ type: "integer" }, { type: "string", pattern: "^-?[0-9]+$" }]
const numbers = [{ type: "number" }, { type: "string" }]

/** Leaves that services spell in more than one way, by the name of their schema. */
const spelled = {
  Integer: { anyOf: integers },
  Amount: { anyOf: integers, description: "a whole number of up to 256 bits; read it without loss" },
  TokenId: {
    anyOf: [{ type: "integer" }, { type: "string" }],
    description: "up to 256 bits; read it without loss"
  },
  Decimal: { anyOf: numbers },
  Float: { anyOf: numbers },
  Flag: { anyOf: [{ type: "boolean" }, { enum: ["true", "false", 0, 1] }] },
  Cursor: { anyOf: [{ type: "string" }, { type: "integer" }] },
  Time: { type: "string", description: "ISO 8601, with or without milliseconds and zone; no zone means UTC" }
}

const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })

/** `WalletTransfersAnswer` and the like. */
const answerName = (id: string): string => `${id.charAt(0).toUpperCase()}${id.slice(1)}Answer`

const answers = (operations: ReadonlyArray<Described>): JsonObject => {
  const definitions: Record<string, JSONSchema.JsonSchema7> = {}
  const documents = operations.map(({ id, output }) =>
    [
      answerName(id),
      JSONSchema.fromAST(output.ast, {
        definitions,
        definitionPath: "#/components/schemas/",
        target: "openApi3.1",
        additionalPropertiesStrategy: "allow"
      })
    ] as const
  )
  return { ...definitions, ...spelled, ...Object.fromEntries(documents) }
}

const networks = Object.keys(ledgers)

const parametersOf = ({ api, parameters }: Described): ReadonlyArray<JsonObject> => [
  ...parameters.filter((parameter) => parameter.in !== "body").flatMap(describe),
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
const describe = (
  { description, in: place, jsonSchema, name, required }: Parameter
): ReadonlyArray<JsonObject> => {
  const described = { in: place, required, description, schema: jsonSchema }
  return jsonSchema.type === "array"
    ? [name, `${name}[]`].map((spelling) => ({ name: spelling, ...described, style: "form", explode: true }))
    : [{ name, ...described }]
}

const bodyOf = ({ method, parameters }: Described): JsonObject => {
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

/** By status: what we answer ourselves, and whether the service's own answer of that status is passed on. */
const failures: ReadonlyArray<readonly [status: number, component: string, passedOn: boolean]> = [
  [400, "Invalid", true],
  [403, "CrossSite", false],
  [404, "NotFound", true],
  [405, "MethodNotAllowed", false],
  [413, "TooLarge", false],
  [415, "UnsupportedBody", false],
  [429, "RateLimited", true],
  [500, "Internal", true],
  [502, "BadGateway", true],
  [503, "Unavailable", true],
  [504, "TimedOut", true]
]

const changesOnly: ReadonlySet<number> = new Set([403, 413, 415])

const failuresOf = ({ method }: Described): JsonObject =>
  Object.fromEntries(
    failures.filter(([status]) => method === "POST" || !changesOnly.has(status))
      .map(([status, component]) => [String(status), { $ref: `#/components/responses/${component}` }])
  )

const failureResponses = (): JsonObject =>
  Object.fromEntries(failures.map(([status, component, passedOn]) => {
    const codes = Object.entries(Failure.statuses).filter(([, of]) => of === status).map(([code]) => code)
    const said = [codes.join(", "), passedOn ? "the service's own answer, as it came" : ""]
    return [component, {
      description: said.filter((part) => part !== "").join("; or "),
      ...(status === 429
        ? { headers: { "Retry-After": { description: "seconds, or a date", schema: { type: "string" } } } }
        : {}),
      content: {
        "application/json": {
          schema: !passedOn
            ? reference("Failure")
            : codes.length > 0
            ? { anyOf: [reference("Failure"), {}] }
            : {}
        }
      }
    }]
  }))

const operationOf = (operation: Described, alias: boolean): JsonObject => ({
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
      headers: { "X-Request-Id": { $ref: "#/components/headers/RequestId" } },
      content: { "application/json": { schema: reference(answerName(operation.id)) } }
    },
    ...failuresOf(operation)
  }
})

const template = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}")

const pathsOf = (operation: AnyOperation): ReadonlyArray<readonly [string, JsonObject]> =>
  prefixes(operation).map((start, index) => [
    template(start + operation.path),
    { [operation.method.toLowerCase()]: operationOf(operation, index > 0) }
  ])

const page = (operationId: string, summary: string, responses: JsonObject): JsonObject => ({
  get: { operationId, tags: ["proxy"], summary, responses }
})

const said = (description: string): JsonObject => ({
  description,
  content: { "application/json": { schema: { type: "object" } } }
})

const ownPaths: JsonObject = {
  "/livez": page("livez", "Whether the process lives", { "200": said("it does") }),
  "/readyz": page("readyz", "Whether the proxy is worth asking, and which settings it has", {
    "200": said("ready"),
    "503": said("not configured, or stopping")
  }),
  "/openapi.json": page("openapi", "This document", { "200": said("OpenAPI 3.1") })
}

/** The whole document. */
export const document = (): JsonObject => ({
  openapi: "3.1.0",
  info: {
    title: "quarry-proxy",
    version: "2.2",
    summary: "The indexed-chain service inside your network",
    description:
      "The service's own paths of all three APIs on one origin. The proxy brings the key: clients need none, " +
      "and one that they send is dropped. Answers are the service's, byte for byte."
  },
  servers: [{ url: "/" }],
  security: [],
  tags: [
    { name: "data", description: "Indexed data of EVM chains" },
    { name: "streams", description: "Streams" },
    { name: "ledger", description: "Transactions of the ledger" },
    { name: "proxy", description: "The proxy itself" }
  ],
  paths: { ...Object.fromEntries(all.flatMap(pathsOf)), ...ownPaths },
  components: {
    schemas: {
      ...answers(all),
      Failure: {
        type: "object",
        description: "A failure of the proxy's own",
        required: ["message", "code", "requestId"],
        properties: {
          message: { type: "string", description: "what happened and what to do" },
          code: { type: "string", enum: Object.keys(Failure.statuses) },
          requestId: { type: "string" }
        }
      }
    },
    headers: {
      RequestId: {
        description: "The request's id: the client's own where it looks safe, otherwise a new one",
        schema: { type: "string" }
      }
    },
    responses: failureResponses()
  }
})
