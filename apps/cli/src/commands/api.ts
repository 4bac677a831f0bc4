/** `quarry api <operation> key=value …` */
import { type AnyOperation, isList } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { decodeInput, type EncodedRequest, encodeRequest } from "@blockquarry/core/RequestEncoding"
import { parseRequest } from "@blockquarry/core/RequestParsing"
import * as Effect from "effect/Effect"
import { isEnabled, singleValue } from "../args/ArgumentValues.ts"
import { commandArgument, switchOption } from "../args/CommandOption.ts"
import { networkOption, operationOptions, outputOption } from "../args/GlobalOptions.ts"
import { closestMatch, didYouMean } from "../args/Suggest.ts"
import { ApiClients, layerFromSettings } from "../connection/ApiClients.ts"
import type { HttpTransport } from "../connection/HttpTransport.ts"
import { type CommandError, UsageError } from "../errors/CommandError.ts"
import { printRows } from "../formats/PrintRows.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import { printReceived } from "../list/RawOutput.ts"
import type { CommandTerminal } from "../terminal/Terminal.ts"
import { localCommand } from "./LocalCommand.ts"

const operations: ReadonlyArray<AnyOperation> = allOperations

const operationIds = operations.map(({ id }) => id)

const includeOption = switchOption("include-headers", "Print the status and the headers before the body", {
  alias: "i"
})

export const api = localCommand({
  path: ["api"],
  api: "any",
  summary: "Call any operation, and print the response as the service sends it",
  note:
    "Parameters have the names of the API: address=0x… chain=eth. Repeat a parameter for several values. Without " +
    "an operation, lists all of them with their parameters. Retries and the rate limit apply as usual.",
  arguments: [
    commandArgument("operation", "Name of the operation", { isOptional: true, choices: operationIds }),
    commandArgument("key=value", "Parameter of the operation", { isRepeatable: true })
  ],
  options: [includeOption, networkOption, outputOption, ...operationOptions("any")],
  examples: [
    "",
    "walletTransfers address={wallet} chain=eth limit=5",
    "tokenPrice address={token} -i",
    "updateStreamStatus id={stream} status=paused"
  ],
  run: Effect.fnUntraced(function*(invocation) {
    const name = singleValue(invocation.values, "operation")
    if (name === undefined) return yield* listOperations(invocation)
    const operation = operations.find(({ id }) => id === name)
    if (operation === undefined) {
      return yield* new UsageError({
        reason: `unknown operation ${JSON.stringify(name)}`,
        hint: didYouMean(closestMatch(name, operationIds)) ?? "quarry api lists all operations"
      })
    }
    const format = singleValue(invocation.commandLineValues, outputOption.name) ?? "json"
    if (format !== "json") {
      return yield* new UsageError({
        reason: `--output ${format}: the response is printed as the service sends it`,
        hint: "omit it, or use the command of the operation"
      })
    }
    const input = yield* decodeParameters(operation, invocation)
    const request = encodeRequest(operation, input)
    if (isEnabled(invocation.values, "curl")) {
      const { printRequest } = yield* Effect.promise(() => import("../diagnostics/Curl.ts"))
      return yield* printRequest(invocation, operation, request)
    }
    yield* printResponse(operation, input, request, invocation)
  })
})

/** Returns the names of the parameters as help shows them. */
const parameterNames = ({ parameters }: AnyOperation): string =>
  parameters.map(({ name, required }) => required ? name : `[${name}]`).join(" ")

const listOperations = ({ settings: { format } }: CommandInvocation) =>
  printRows(
    format,
    operations.map((operation) => ({
      operation: operation.id,
      method: operation.method,
      path: operation.path,
      parameters: parameterNames(operation),
      summary: operation.docs.summary
    })),
    { operation: { kind: "fixed" }, parameters: {}, path: { dropOrder: 1 } }
  )

/** Decodes `key=value` words. Array parameters may be written as on the wire: `name[]=value`. */
const decodeParameters = (
  operation: AnyOperation,
  { settings: { configuration: { addressBook } }, values }: CommandInvocation
): Effect.Effect<unknown, UsageError> =>
  Effect.gen(function*() {
    const pairs: Array<readonly [string, string]> = []
    for (const word of values.get("key=value") ?? []) {
      const [, key, value = ""] = /^([^=]+)=(.*)$/s.exec(word) ?? []
      if (key === undefined) {
        return yield* new UsageError({
          reason: `expected key=value, got ${JSON.stringify(word)}`,
          hint: `parameters of ${operation.id}: ${parameterNames(operation)}`
        })
      }
      pairs.push([key, key.includes("address") ? addressBook.resolve(value) : value])
    }
    // As words, all parameters have the form of a query
    const parameters = operation.parameters.map((parameter) => ({ ...parameter, in: "query" as const }))
    const { encoded, unknownQuery: [unknown] } = parseRequest({ parameters }, {}, pairs, null)
    if (unknown !== undefined) {
      const similar = closestMatch(unknown[0], parameters.map(({ name }) => name))
      return yield* new UsageError({
        reason: `unknown parameter ${JSON.stringify(unknown[0])} of ${operation.id}`,
        hint: didYouMean(similar) ?? `parameters of ${operation.id}: ${parameterNames(operation)}`
      })
    }
    return yield* Effect.mapError(decodeInput(operation, encoded), ({ issues: [issue] }) =>
      new UsageError({
        reason: `${issue.parameter}: ${issue.reason}`,
        hint: `parameters of ${operation.id}: ${parameterNames(operation)}${
          isList(operation) ? "; cursor continues after a page" : ""
        }`
      }))
  })

/** Prints the body, also of an error, and then fails with the error. */
const printResponse = (
  operation: AnyOperation,
  input: unknown,
  request: EncodedRequest,
  { settings, values }: CommandInvocation
): Effect.Effect<void, CommandError, HttpTransport | CommandTerminal> =>
  Effect.gen(function*() {
    const { rawFunctionOf } = yield* ApiClients
    const send = yield* rawFunctionOf(operation, values)
    const { classification, response } = yield* send(input, request)
    const body = new TextDecoder().decode(response.bytes)
    const headers = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}\n`)
    const text = `${
      isEnabled(values, includeOption.name) ? `HTTP ${response.status}\n${headers.join("")}\n` : ""
    }${body}`
    yield* printReceived(text)
    const result = classification()
    if (result._tag !== "Complete") return yield* Effect.fail(result.error)
  }).pipe(Effect.provide(layerFromSettings(settings)))
