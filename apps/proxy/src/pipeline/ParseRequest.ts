/** Parses a routed request into an upstream request: the input, the upstream, and the encoded HTTP request. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import type { UpstreamName } from "@blockquarry/core/Upstreams"
import * as LruMap from "@blockquarry/http/gateway/LruMap"
import * as Either from "effect/Either"
import type { ClientConfig, Config } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import type { CacheDirective, UpstreamRequest } from "../upstream/UpstreamClient.ts"
import { rewrite } from "./RequestRewrite.ts"
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
export interface ParsedRequests {
  readonly get: (target: string) => UpstreamRequest | undefined
  readonly remember: (target: string, request: UpstreamRequest) => void
}

export const makeParsedRequests = (): ParsedRequests => {
  const requests = LruMap.make<UpstreamRequest>({ maxSize: maxParsedRequests })
  return {
    get: (target) => requests.get(target),
    remember: (target, request) => {
      if (target.length <= maxTargetLength && requests.peek(target) === undefined) {
        requests.set(target, request)
      }
    }
  }
}
