/** `--curl`: prints the request of an operation as a curl command. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { type EncodedRequest, encodeRequest } from "@blockquarry/core/RequestEncoding"
import * as Settings from "@blockquarry/http/gateway/Settings"
import * as Effect from "effect/Effect"
import { curlOption } from "../args/GlobalOptions.ts"
import { decodeArguments } from "../args/OperationParameters.ts"
import { ApiClients, layerFromSettings } from "../connection/ApiClients.ts"
import type { RequestedOperation } from "../connection/Connection.ts"
import type { HttpTransport } from "../connection/HttpTransport.ts"
import type { CommandError } from "../errors/CommandError.ts"
import { readsInputs, unavailableForInputs } from "../inputs/InputOptions.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import { requestValues } from "../list/ListOptions.ts"
import { type CommandTerminal, print } from "../terminal/Terminal.ts"
import { shellQuote } from "../text/ShellQuote.ts"

/** Returns a curl command. The shell inserts the API key. */
export const formatCurl = ({ body, method }: EncodedRequest, url: string): string =>
  [
    "curl",
    ...method === "GET" ? [] : ["--request", method],
    shellQuote(url),
    "--header",
    `"x-api-key: $${Settings.apiKey}"`,
    "--header",
    "'accept: application/json'",
    ...body === null ? [] : ["--header", "'content-type: application/json'", "--data", shellQuote(body)]
  ].join(" ")

export const printCurl = (
  invocation: CommandInvocation
): Effect.Effect<void, CommandError, HttpTransport | CommandTerminal> =>
  Effect.gen(function*() {
    const { command, values } = invocation
    if (readsInputs(invocation)) return yield* unavailableForInputs(curlOption.name, values)
    const operation: AnyOperation | undefined = allOperations.find(({ id }) => id === command.operation)
    if (operation === undefined) {
      return yield* Effect.dieMessage(`${command.path.join(" ")} calls no operation`)
    }
    const { input } = yield* decodeArguments(operation, requestValues(values))
    const request = encodeRequest(operation, input)
    yield* printRequest(invocation, operation, request)
  })

export const printRequest = (
  { settings, values }: CommandInvocation,
  operation: RequestedOperation,
  request: EncodedRequest
): Effect.Effect<void, CommandError, HttpTransport | CommandTerminal> =>
  Effect.gen(function*() {
    const { requestUrl } = yield* ApiClients
    const url = yield* requestUrl(operation, values, request)
    yield* print(`${formatCurl(request, url)}\n`)
  }).pipe(Effect.provide(layerFromSettings(settings)))
