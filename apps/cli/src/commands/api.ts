/** `quarry api <operation> key=value …` and `quarry api GET /path`. */
import { allOperations } from "@blockquarry/core/Operations"
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import type { RawResponse } from "@blockquarry/http/gateway/RawResponse"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { type ArgumentValues, isEnabled, isSet, singleValue } from "../args/ArgumentValues.ts"
import { commandArgument, switchOption, textOption } from "../args/CommandOption.ts"
import { networkOption, operationOptions, outputOption } from "../args/GlobalOptions.ts"
import { queryOption } from "../args/QueryOption.ts"
import { ApiClients, layerFromSettings } from "../connection/ApiClients.ts"
import type { CommandError } from "../errors/CommandError.ts"
import { printRows } from "../formats/PrintRows.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import { paginationOptions, parseListCursor } from "../list/ListOptions.ts"
import { recordOptions } from "../list/OutputOptions.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { withCursorOf } from "../text/Json.ts"
import { sanitize } from "../text/Sanitize.ts"
import {
  apiMethods,
  apiOption,
  type ApiTarget,
  apiTarget,
  bodyOption,
  parameterNames,
  readOnlyOption
} from "./ApiTarget.ts"
import { localCommand } from "./LocalCommand.ts"

const cursorOption = textOption("cursor", "text", "Continue a list after this cursor")

const dryRunOption = switchOption("dry-run", "Print the request instead of sending it", {
  group: "connection"
})

/** Options that select records of the response. Without one, its body is printed as received. */
const recordOptionNames = ["all", "max-items", "cursor", "fields", "jq", "exit-status", outputOption.name]

const includeOption = switchOption("include-headers", "Print the status and the headers before the body", {
  alias: "i",
  conflictsWith: recordOptionNames
})

export const api = localCommand({
  path: ["api"],
  api: "any",
  summary: "Call any operation, or request any path of an API",
  note:
    "Prints the response as the service sends it; --jq, --output, --fields, --all, --max-items and --cursor print its " +
    "records: the elements of an array or of the member result, or else the document. Parameters of operations have " +
    "the names of the API: address=0x… chain=eth; repeat one for several values. A path is relative to the base URL. " +
    "Without arguments, lists all operations with their parameters. Retries and the rate limit apply as usual.",
  arguments: [
    commandArgument("operation|path", "Name of an operation, or a path, after its method (default: GET)", {
      isOptional: true,
      choices: [...allOperations.map(({ id }) => id), ...apiMethods]
    }),
    commandArgument("key=value", "Parameter of the operation", { isRepeatable: true })
  ],
  options: [
    apiOption,
    bodyOption,
    readOnlyOption,
    ...paginationOptions,
    cursorOption,
    includeOption,
    networkOption,
    ...recordOptions,
    ...operationOptions("any"),
    dryRunOption
  ],
  examples: [
    "",
    "walletTransfers address={wallet} chain=eth limit=5",
    "tokenPrice address={token} -i",
    "GET /wallets/{wallet}/chains --jq '.active_chains[].chain'",
    "'/{wallet}/erc20/transfers?chain=eth' --all -o ndjson",
    "POST /streams/evm/{stream}/status --api streams --body '{\"status\":\"paused\"}'"
  ],
  run: (given) =>
    Effect.gen(function*() {
      const words = ["operation|path", "key=value"].flatMap((name) => given.values.get(name) ?? [])
      if (words.length === 0) return yield* listOperations(given)
      const target = yield* apiTarget(words, given)
      // The target has them
      const values = new Map([...given.values].filter(([name]) => name !== queryOption.name))
      const invocation = { ...given, values }
      if (isEnabled(values, "curl")) {
        const { printRequest } = yield* Effect.promise(() => import("../diagnostics/Curl.ts"))
        return yield* printRequest(invocation, target.operation, firstRequest(target, values))
      }
      yield* sendRequest(invocation, target).pipe(
        Effect.provide(layerFromSettings(invocation.settings))
      )
    })
})

const listOperations = ({ settings: { format } }: CommandInvocation) =>
  printRows(
    format,
    allOperations.map((operation) => ({
      operation: operation.id,
      method: operation.method,
      path: operation.path,
      parameters: parameterNames(operation),
      summary: operation.docs.summary
    })),
    { operation: { kind: "fixed" }, parameters: {}, path: { dropOrder: 1 } }
  )

/** An output in a file of settings does not select records. */
const selectsRecords = ({ commandLineValues, values }: CommandInvocation): boolean =>
  recordOptionNames.some((name) => isSet(name === outputOption.name ? commandLineValues : values, name))

const isCursor = ([name]: readonly [string, string]): boolean => name === cursorOption.name

/** Returns the request with the cursor of `--cursor`, where the library sends it. */
const firstRequest = ({ encoded, request: { body } }: ApiTarget, values: ArgumentValues): EncodedRequest => {
  const { page } = parseListCursor(singleValue(values, cursorOption.name))
  if (page === undefined) return encoded
  if (encoded.body !== null && Predicate.isRecord(body)) {
    return { ...encoded, body: withCursorOf(encoded.body, JSON.stringify({ cursor: page })) }
  }
  const query = encoded.query.filter((parameter) => !isCursor(parameter))
  return { ...encoded, query: [...query, [cursorOption.name, page]] }
}

const sendRequest = (
  invocation: CommandInvocation,
  target: ApiTarget
): Effect.Effect<void, CommandError, ApiClients | CommandTerminal> =>
  Effect.gen(function*() {
    const { values } = invocation
    const { encoded, operation, request } = target
    if (isEnabled(values, dryRunOption.name)) {
      const { printRequest } = yield* Effect.promise(() => import("../export/DryRun.ts"))
      return yield* printRequest(operation, values, firstRequest(target, values))
    }
    if (!selectsRecords(invocation)) return yield* printResponse(values, target)
    const { printResponseRecords } = yield* Effect.promise(() => import("../list/ResponseRecords.ts"))
    const { requestOf } = yield* ApiClients
    const cursor = singleValue(values, cursorOption.name) ?? encoded.query.findLast(isCursor)?.[1]
    const query = encoded.query.filter((parameter) => !isCursor(parameter))
    const send = yield* requestOf(operation, values, { ...encoded, query })
    yield* printResponseRecords(invocation, send, request, cursor)
  })

/** Prints a text as the service sent it. Terminals get no control characters. */
const printReceived = (text: string) =>
  Effect.flatMap(CommandTerminal, ({ out, print }) =>
    print(
      out.isTerminal
        ? text.replace(/\n$/, "").split("\n").map((line) => `${sanitize(line)}\n`)
        : text
    ))

/** Prints the body, also of an error, and then fails with the error. */
const printResponse = (
  values: ArgumentValues,
  { encoded, operation, request }: ApiTarget
): Effect.Effect<void, CommandError, ApiClients | CommandTerminal> =>
  Effect.gen(function*() {
    const { requestOf } = yield* ApiClients
    const responses: Array<RawResponse> = []
    const send = yield* requestOf(operation, values, encoded, (response) => responses.push(response))
    const result = yield* Effect.either(send(request))
    for (const { bytes, headers, status } of responses) {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`)
      const head = isEnabled(values, includeOption.name) ? `HTTP ${status}\n${lines.join("")}\n` : ""
      yield* printReceived(head + new TextDecoder().decode(bytes))
    }
    yield* result
  })
