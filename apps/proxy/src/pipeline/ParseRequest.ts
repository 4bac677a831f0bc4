/**
 * Parses a routed request into an upstream request: selects the upstream, decodes the input with the schema of the operation, and
 * encodes it in its canonical form, so that equivalent requests share a cache entry. Reads the cache directive.
 *
 * Unless validation is strict, undecodable values of parameters that are marked `passthrough` and unknown words pass through.
 * Unknown query parameters always do.
 */
import { chainName } from "@blockquarry/core/Chain"
import { isResumeCursor } from "@blockquarry/core/Cursor"
import type { AnyOperation } from "@blockquarry/core/Operation"
import { InvalidInputError } from "@blockquarry/core/OperationError"
import { decodeInput, type EncodedRequest, encodeRequest } from "@blockquarry/core/RequestEncoding"
import * as RequestParsing from "@blockquarry/core/RequestParsing"
import type { UpstreamName } from "@blockquarry/core/Upstreams"
import * as LruMap from "@blockquarry/http/gateway/LruMap"
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Rec from "effect/Record"
import type * as Schema from "effect/Schema"
import type { ClientConfig, Config } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import type { CacheDirective, UpstreamRequest } from "../upstream/UpstreamClient.ts"
import type * as Router from "./Router.ts"

/** The upstream of each ledger network. The first network is the default. */
export const ledgerNetworks = {
  mainnet: "ledger",
  testnet: "ledgerTestnet"
} as const satisfies { readonly [network: string]: UpstreamName }

export const parseRequest = (
  { operation, parameters, route }: Router.RouteMatch,
  query: EncodedRequest["query"],
  body: unknown,
  validation: Config["validation"]
): Either.Either<UpstreamRequest, ProxyError.ProxyError> =>
  Either.flatMap(
    selectUpstream(operation, query),
    ({ query, upstreamName }) =>
      Either.mapBoth(rewrite(operation, parameters, query, body, validation), {
        onLeft: ProxyError.fromOperationError,
        onRight: ({ input, request }) => ({ operation, route, upstreamName, request, input })
      })
  )

interface SelectedUpstream {
  readonly upstreamName: UpstreamName
  readonly query: EncodedRequest["query"]
}

/** Selects the upstream of an operation. The query parameter `network` selects that of the ledger, and is not forwarded. */
const selectUpstream = (
  { api }: Pick<AnyOperation, "api">,
  query: EncodedRequest["query"]
): Either.Either<SelectedUpstream, ProxyError.ProxyError> => {
  if (api !== "ledger") return Either.right({ upstreamName: api, query })
  const values = query.flatMap(([name, value]) => name === "network" && value !== "" ? [value] : [])
  const ledger = Object.entries(ledgerNetworks).find(([network]) =>
    values.every((value) => value === network)
  )
  return ledger === undefined
    ? Either.left(
      ProxyError.make("invalid-request", `network: expected one of ${Object.keys(ledgerNetworks).join(", ")}`)
    )
    : Either.right({ upstreamName: ledger[1], query: query.filter(([name]) => name !== "network") })
}

type Headers = Readonly<Record<string, string | undefined>>

/** Returns the cache directive of a request that applies, and whether it has one that is ignored. */
export const parseCacheDirective = (
  headers: Headers,
  { clientNoCache }: Pick<ClientConfig, "clientNoCache">,
  { cache }: Pick<Config, "cache">
): { readonly cacheDirective: CacheDirective; readonly ignoresNoCache: boolean } => {
  const sent = strictestDirective(headers)
  const ignoresNoCache = sent === "reload" &&
    ((clientNoCache ?? cache.clientNoCache) === "ignore" || isAddedByFetch(headers))
  return { cacheDirective: ignoresNoCache ? "default" : sent, ignoresNoCache }
}

/**
 * Returns the strictest cache directive of a request (RFC 9111, section 5.2.1). `Pragma: no-cache` is the HTTP/1.0 form of
 * `no-cache`.
 */
const strictestDirective = ({ "cache-control": cacheControl, pragma }: Headers): CacheDirective => {
  if (cacheControl === undefined) return pragma?.toLowerCase() === "no-cache" ? "reload" : "default"
  const directives = new Set(cacheControl.toLowerCase().split(",").map((directive) => directive.trim()))
  if (directives.has("only-if-cached")) return "only-if-cached"
  if (directives.has("no-store")) return "no-store"
  return directives.has("no-cache") || directives.has("max-age=0") ? "reload" : "default"
}

/** With any of these, `fetch` adds both forms of `no-cache`, so that caches of its own do not respond (the Fetch standard). */
const conditions = ["if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range"]

const isAddedByFetch = (headers: Headers): boolean =>
  headers["cache-control"] === "no-cache" && headers["pragma"] === "no-cache" &&
  conditions.some((name) => headers[name] !== undefined)

const maxParsedRequests = 4096

/** Longer targets are rare, and are not kept. */
const maxTargetLength = 1024

/** GET requests that were parsed before, by request target. */
export type ParsedRequests = LruMap.LruMap<UpstreamRequest>

export const makeParsedRequests = (): ParsedRequests => LruMap.make({ maxSize: maxParsedRequests })

export const remember = (requests: ParsedRequests, target: string, request: UpstreamRequest): void => {
  if (target.length <= maxTargetLength && requests.peek(target) === undefined) requests.set(target, request)
}

/** An operation without its static types: one schema decodes and encodes its input. */
type RewritableOperation = Pick<AnyOperation, "id" | "method" | "path" | "parameters"> & {
  readonly input: Schema.Schema.AnyNoContext
}

type RewrittenRequest = Pick<UpstreamRequest, "input" | "request">

const rewrite = (
  operation: RewritableOperation,
  path: Readonly<Record<string, string>>,
  query: EncodedRequest["query"],
  body: unknown,
  validation: Config["validation"]
): Either.Either<RewrittenRequest, InvalidInputError> => {
  const received = RequestParsing.parseRequest(operation, path, query, body)
  const rewritten = tryRewrite(operation, received)
  return validation === "strict"
    ? Either.flatMap(rewritten, (rewritten) => rejectUnknownValues(operation, rewritten))
    : Either.orElse(
      rewritten,
      (error) => tryRewrite(operation, passThroughOpenValues(operation, received, error))
    )
}

/** Rejects chains, and formats, that the description does not have. */
const rejectUnknownValues = (
  operation: RewritableOperation,
  rewritten: RewrittenRequest
): Either.Either<RewrittenRequest, InvalidInputError> => {
  const issues = rewritten.request.query.flatMap(([written, value]) => {
    const name = written.replace(/\[\d*\]$/, "")
    const parameter = operation.parameters.find((parameter) => parameter.name === name)
    const known = parameter?.passthrough === true ? parameter.jsonSchema.examples : undefined
    const isChain = name === "chain" || name === "chains"
    return isChain && chainName(value) === undefined || known?.includes(value) === false
      ? [{ parameter: name, reason: `unknown, and validation is strict; got ${JSON.stringify(value)}` }]
      : []
  })
  return Arr.isNonEmptyArray(issues)
    ? Either.left(new InvalidInputError({ operation: operation.id, issues }))
    : Either.right(rewritten)
}

const tryRewrite = (
  operation: RewritableOperation,
  received: RequestParsing.ParsedRequest
): Either.Either<RewrittenRequest, InvalidInputError> => {
  const { cursor } = received.encoded
  if (typeof cursor === "string" && isResumeCursor(cursor)) {
    return Either.left(
      new InvalidInputError({
        operation: operation.id,
        issues: [{
          parameter: "cursor",
          reason:
            "this cursor belongs to the quarry library, not to the upstream; use it with the library or with /all"
        }]
      })
    )
  }
  return Either.map(decodeInput(operation, received.encoded), (input) => {
    const request = encodeRequest(operation, input)
    return { input, request: { ...request, query: [...request.query, ...received.unknownQuery] } }
  })
}

/** Moves undecodable values of open parameters to the query parameters that pass through unchanged. */
const passThroughOpenValues = (
  operation: RewritableOperation,
  received: RequestParsing.ParsedRequest,
  error: InvalidInputError
): RequestParsing.ParsedRequest => {
  const moved = operation.parameters.flatMap(({ in: place, jsonSchema, name, passthrough }) => {
    const value = received.encoded[name]
    // An upstream may know more words than the description of an operation that reads.
    return typeof value === "string" &&
        (passthrough || place === "query" && jsonSchema.enum !== undefined && isWord(value)) &&
        rejectsParameter(error, name) &&
        isUndecodable(operation, name, value)
      ? [[name, value] as const]
      : []
  })
  const names = new Set<string>(moved.map(([name]) => name))
  return {
    encoded: Rec.filter(received.encoded, (_, name) => !names.has(name)),
    unknownQuery: [...received.unknownQuery, ...moved]
  }
}

const isWord = (value: string): boolean => /^[a-z][a-z_-]{0,31}$/i.test(value)

const rejectsParameter = ({ issues }: InvalidInputError, name: string): boolean =>
  issues.some(({ parameter }) => parameter === name)

/** Whether a value is invalid on its own. The start date of a reversed range, for example, is valid on its own. */
const isUndecodable = (operation: RewritableOperation, name: string, value: string): boolean =>
  Either.match(decodeInput(operation, { [name]: value }), {
    onLeft: (error) => rejectsParameter(error, name),
    onRight: () => false
  })
