/** Parses a routed request into an upstream request: the input, the upstream, and the encoded HTTP request. */
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import * as Either from "effect/Either"
import type { UpstreamName } from "../config/BaseUrls.ts"
import * as ProxyError from "../exchange/ProxyError.ts"
import type { UpstreamRequest } from "../exchange/UpstreamRequest.ts"
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
  body: unknown
): Either.Either<UpstreamRequest, ProxyError.ProxyError> =>
  Either.gen(function*() {
    const selected = operation.api === "ledger"
      ? yield* selectLedgerNetwork(query)
      : { upstreamName: operation.api, query }
    const { input, request } = yield* Either.mapLeft(
      rewrite(operation, parameters, selected.query, body),
      ProxyError.fromOperationError
    )
    return { operation, route, upstreamName: selected.upstreamName, request, input }
  })

/** Selects the ledger upstream by the query parameter `network`, which is not forwarded. */
const selectLedgerNetwork = (
  query: EncodedRequest["query"]
): Either.Either<
  { readonly upstreamName: UpstreamName; readonly query: EncodedRequest["query"] },
  ProxyError.ProxyError
> => {
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
