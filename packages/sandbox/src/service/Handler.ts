/** Handles requests: route, API key, fault, operation. */
import { parse } from "@blockquarry/core/LosslessJson"
import { parseRequest } from "@blockquarry/core/RequestParsing"
import { requestPrice, weightHeader } from "@blockquarry/core/RequestPrice"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Ledger } from "../Ledger.ts"
import { ApiError, badRequest, errorResponse, notFound } from "./ApiError.ts"
import * as ApiKeys from "./ApiKeys.ts"
import { directives, type Fault, parseFault } from "./Fault.ts"
import { injectFault, replacementResponse } from "./FaultInjection.ts"
import {
  jsonResponse,
  parseUrl,
  type SandboxRequest,
  type SandboxResponse,
  withContentLength
} from "./HttpMessage.ts"
import { resolveRoute, type Route } from "./Routes.ts"
import type { ResolvedOptions } from "./SandboxOptions.ts"
import type { SandboxState } from "./SandboxState.ts"
import * as SignedCursor from "./SignedCursor.ts"

/** The request header that injects a fault. */
export const faultHeader = "x-sandbox-fault"

/** Creates the function that handles requests. */
export const make = (
  ledger: Ledger,
  options: ResolvedOptions,
  state: SandboxState
): (request: SandboxRequest) => Effect.Effect<SandboxResponse> => {
  const cursorCodec = SignedCursor.make(ledger.seed)

  const respond = Effect.fnUntraced(function*(request: RoutedRequest, { kind }: Fault) {
    const { network, operation, parameters } = yield* authorize(request)
    const body = yield* readBody(request.body)
    const { encoded } = parseRequest(operation, parameters, request.query, body)
    const chains = yield* state.chains
    const fault = kind === "repeat-cursor" || kind === "empty-page" ? kind : undefined
    const document = yield* operation.handle(encoded, {
      ledger,
      options,
      state,
      chains,
      network,
      cursorCodec,
      fault
    })
    // As upstreams do: only their data API reports prices.
    const price = operation.api === "data" ? requestPrice(operation, { query: request.query }) : undefined
    return jsonResponse(200, document, price === undefined ? {} : { [weightHeader]: String(price) })
  })

  const answer = Effect.fnUntraced(function*(received: SandboxRequest) {
    const { path, query } = parseUrl(received.url)
    const request: RoutedRequest = { ...received, path, query, route: resolveRoute(path, query) }
    const operation = request.route?.operation.id ?? null
    const { body, headers, method } = received
    yield* state.recordRequest({ method, path, query, headers, body, operation })
    const requestedFault = headers[faultHeader]
    const parsedFault = requestedFault === undefined
      ? Option.some<Fault>((yield* state.nextFault({ operation, path })) ?? {})
      : parseFault(requestedFault)
    if (Option.isNone(parsedFault)) {
      const supported = directives.join(", ")
      const message = `invalid ${faultHeader} header "${requestedFault}"; supported: ${supported}`
      return errorResponse(badRequest(message))
    }
    const fault = parsedFault.value
    if (fault.delay !== undefined) yield* Effect.sleep(fault.delay)
    const replacement = replacementResponse(fault)
    if (replacement !== undefined) return replacement
    const response = yield* Effect.catchAll(
      respond(request, fault),
      (error) => Effect.succeed(errorResponse(error))
    )
    if (fault.kind === "hang") yield* Effect.never
    return injectFault(response, fault.kind)
  })
  return (request) => Effect.map(answer(request), withContentLength)
}

/** A request with parsed path and query. */
interface RoutedRequest extends SandboxRequest {
  readonly path: string
  readonly query: ReadonlyArray<readonly [string, string]>
  readonly route: Route | undefined
}

/** Returns the route of a request. Fails if path, method or API key is invalid. */
const authorize = ({ headers, method, path, route }: RoutedRequest): Effect.Effect<Route, ApiError> => {
  if (route === undefined) return Effect.fail(notFound(`Cannot ${method} ${path}`))
  if (route.operation.method !== method) {
    return Effect.fail(
      new ApiError({
        status: 405,
        messages: [`Method ${method} not allowed`],
        headers: { allow: route.operation.method }
      })
    )
  }
  return Effect.as(ApiKeys.checkApiKey(headers["x-api-key"]), route)
}

const readBody = (text: string): Either.Either<unknown, ApiError> =>
  text === ""
    ? Either.right(undefined)
    : Either.mapLeft(parse(text), ({ message }) => badRequest(`Invalid JSON in request body: ${message}`))
