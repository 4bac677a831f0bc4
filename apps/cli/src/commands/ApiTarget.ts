/** What `quarry api` requests: the operation with its parameters, or the method and the path, that its words name. */
import { type ApiRequest, encodeApiRequest, operationId } from "@blockquarry/core/ApiRequest"
import { parse } from "@blockquarry/core/LosslessJson"
import { type AnyOperation, type ApiName, isList, type Method } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { decodeInput, type EncodedRequest, encodeRequest } from "@blockquarry/core/RequestEncoding"
import { parseRequest } from "@blockquarry/core/RequestParsing"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { buffer } from "node:stream/consumers"
import { type ArgumentValues, isEnabled, singleValue } from "../args/ArgumentValues.ts"
import { monthFirstDate } from "../args/Bounds.ts"
import { chainOf } from "../args/Chains.ts"
import { choiceOption, switchOption, textOption } from "../args/CommandOption.ts"
import { addedQuery } from "../args/QueryOption.ts"
import { closestMatch, didYouMean } from "../args/Suggest.ts"
import type { RequestedOperation } from "../connection/Connection.ts"
import { UsageError } from "../errors/CommandError.ts"
import { systemFailure } from "../errors/SystemError.ts"
import { bytesOf, fileOf, inputName } from "../inputs/InputText.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import type { CommandTerminal } from "../terminal/Terminal.ts"

export const bodyOption = textOption(
  "body",
  "json",
  "Body of the request: JSON, @file, or - for stdin"
)

/** Returns the body as it is written, without spaces around it, and its value. */
const readBody = (source: string) =>
  Effect.gen(function*() {
    const isFile = source.startsWith("@")
    const text = isFile || fileOf(source) === null ? yield* readText(fileOf(source.replace("@", ""))) : source
    return yield* Either.mapBoth(parse(text), {
      onRight: (value) => ({ text: text.trim(), value }),
      onLeft: () =>
        new UsageError({
          reason: `--${bodyOption.name}: expected JSON, got ${JSON.stringify(text.slice(0, 80))}`,
          hint: "for example --body '{\"addresses\":[\"0x…\"]}', --body @body.json or --body -"
        })
    })
  })

const readText = (file: string | null): Effect.Effect<string, UsageError> =>
  Effect.flatMap(bytesOf({ file }), (bytes) =>
    Effect.tryPromise({
      try: async () => new TextDecoder().decode(await buffer(bytes)),
      catch: (error) =>
        new UsageError(
          systemFailure(`--${bodyOption.name}: cannot read ${inputName({ file })}`, error, "read")
        )
    }))

export const apiMethods: ReadonlyArray<Method> = ["GET", "POST", "PUT", "PATCH", "DELETE"]

const apiNames = ["data", "streams", "ledger"] as const satisfies ReadonlyArray<ApiName>

export const apiOption = choiceOption("api", "name", apiNames, "API of a path (default: data)")

export const readOnlyOption = switchOption("read-only", "Retry the request as a GET, because it only reads")

export interface ApiTarget {
  readonly operation: RequestedOperation
  readonly encoded: EncodedRequest
  /** The request without its query, which is sent as it is written. */
  readonly request: ApiRequest
}

const operations: ReadonlyArray<AnyOperation> = allOperations

const operationIds = operations.map(({ id }) => id)

const usageError = (reason: string, hint: string | null = null) => new UsageError({ reason, hint })

/** Returns what the words after `quarry api` name, with the parameters of `--query`. */
export const apiTarget = (
  words: ReadonlyArray<string>,
  invocation: CommandInvocation
): Effect.Effect<ApiTarget, UsageError, CommandTerminal> =>
  Effect.gen(function*() {
    const [first = "", ...rest] = words
    const isMethod = apiMethods.some((method) => method === first.toUpperCase())
    // Values of parameters may contain slashes
    const target = isMethod || words.slice(0, 2).some((word) => /^[^=]*\//.test(word))
      ? yield* requestTarget(words, invocation.values)
      : yield* operationTarget(first, rest, invocation)
    const query = [...target.encoded.query, ...yield* addedQuery(target.operation, invocation.values)]
    return { ...target, encoded: { ...target.encoded, query } }
  })

/** Returns the names of the parameters as help shows them. */
export const parameterNames = ({ parameters }: AnyOperation): string =>
  parameters.map(({ name, required }) => required ? name : `[${name}]`).join(" ")

const operationTarget = (
  id: string,
  words: ReadonlyArray<string>,
  { settings: { configuration: { addressBook } }, values }: CommandInvocation
): Effect.Effect<ApiTarget, UsageError, CommandTerminal> =>
  Effect.gen(function*() {
    const operation = operations.find((operation) => operation.id === id)
    if (operation === undefined) {
      const hint = didYouMean(closestMatch(id, operationIds)) ?? "quarry api lists all operations"
      return yield* usageError(`unknown operation ${JSON.stringify(id)}`, hint)
    }
    const unavailable = [apiOption, bodyOption, readOnlyOption].find(({ name }) => values.has(name))
    if (unavailable !== undefined) {
      const hint = "omit it; the parameters of an operation are key=value"
      return yield* usageError(`--${unavailable.name} is for requests by method and path`, hint)
    }
    const hint = `parameters of ${id}: ${parameterNames(operation)}`
    const pairs: Array<readonly [string, string]> = []
    for (const word of words) {
      const [, key, value = ""] = /^([^=]+)=(.*)$/s.exec(word) ?? []
      if (key === undefined) return yield* usageError(`expected key=value, got ${JSON.stringify(word)}`, hint)
      const resolve = key.includes("address") ? addressBook.resolve : key.includes("chain") ? chainOf : String
      pairs.push([key, resolve(value)])
    }
    // As words, all parameters have the form of a query. Array parameters may be written as on the wire: `name[]=value`
    const parameters = operation.parameters.map((parameter) => ({ ...parameter, in: "query" as const }))
    const { encoded: given, unknownQuery: [unknown] } = parseRequest({ parameters }, {}, pairs, null)
    if (unknown !== undefined) {
      const similar = closestMatch(unknown[0], parameters.map(({ name }) => name))
      return yield* usageError(
        `unknown parameter ${JSON.stringify(unknown[0])} of ${id}`,
        didYouMean(similar) ?? hint
      )
    }
    const input: unknown = yield* Effect.mapError(decodeInput(operation, given), ({ issues: [issue] }) =>
      new UsageError({
        reason: `${issue.parameter}: ${issue.reason}`,
        hint: isList(operation) ? `${hint}; cursor continues after a page` : hint
      }))
    for (const [key, value] of pairs) {
      if (key.includes("date")) {
        yield* monthFirstDate(key, value)
      }
    }
    const encoded = encodeRequest(operation, input)
    const { body, method, path } = encoded
    const { cost, retry } = operation
    return {
      operation,
      encoded,
      request: { method, path, cost, retry, ...body === null ? {} : { body: JSON.parse(body) } }
    }
  })

const requestTarget = (
  words: ReadonlyArray<string>,
  values: ArgumentValues
): Effect.Effect<ApiTarget, UsageError> =>
  Effect.gen(function*() {
    const [first = ""] = words
    const hasMethod = !first.includes("/")
    const [text, unexpected] = hasMethod ? words.slice(1) : words
    const source = singleValue(values, bodyOption.name)
    const name = hasMethod ? first.toUpperCase() : source === undefined ? "GET" : "POST"
    const method = apiMethods.find((method) => method === name)
    if (method === undefined) {
      const reason = `unknown method ${JSON.stringify(first)}; expected one of ${apiMethods.join(", ")}`
      return yield* usageError(reason)
    }
    if (text === undefined) {
      const hint = `for example quarry api ${method} /wallets/0x…/tokens`
      return yield* usageError(`missing the path after ${method}`, hint)
    }
    if (unexpected !== undefined) {
      const reason = `unexpected argument ${JSON.stringify(unexpected)} after the path`
      return yield* usageError(reason, "add parameters with --query name=value")
    }
    const api = apiNames.find((name) => name === singleValue(values, apiOption.name)) ?? "data"
    const body = source === undefined ? null : yield* readBody(source)
    const [, path = text, search = ""] = /^([^?#]*)\?([^#]*)$/.exec(text) ?? []
    const request: ApiRequest = {
      method,
      path,
      ...isEnabled(values, readOnlyOption.name) ? { retry: "always" } : {},
      ...body === null ? {} : { body: body.value }
    }
    const encoded = yield* Effect.mapError(encodeApiRequest(request), ({ issues: [issue] }) =>
      new UsageError({
        reason: `${issue.parameter}: ${
          issue.reason.replace("in `query`", "with --query").replaceAll(" with encodeURIComponent", "")
        }`,
        hint: issue.parameter === "path"
          ? "a path is relative to the base URL: quarry api GET /wallets/0x…/tokens"
          : null
      }))
    return {
      operation: { api, id: operationId, parameters: [] },
      encoded: { ...encoded, query: [...new URLSearchParams(search)], body: body?.text ?? null },
      request
    }
  })
