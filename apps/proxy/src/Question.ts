/** What a request asks of the service: an operation, its input, the address it goes to, and how it is sent there. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import type { WireRequest } from "@blockquarry/core/Wire"
import * as Either from "effect/Either"
import type { AddressName } from "./Config/Config.ts"
import * as Failure from "./Failure.ts"
import { rewrite } from "./Rewrite.ts"
import type * as Router from "./Router.ts"

export interface Question {
  readonly operation: AnyOperation
  /** The path with its parameters unnamed. */
  readonly route: string
  readonly address: AddressName
  readonly request: WireRequest
  /** What the request was read as. */
  readonly input: unknown
}

/** The ledger has an address for each network. The first is meant where none is named. */
export const ledgers = {
  mainnet: "ledger",
  testnet: "ledgerTestnet"
} as const satisfies { readonly [network: string]: AddressName }

export const read = (
  { operation, parameters, route }: Router.Match,
  query: WireRequest["query"],
  body: unknown
): Either.Either<Question, Failure.Failure> =>
  Either.gen(function*() {
    const chosen = operation.api === "ledger"
      ? yield* readNetwork(query)
      : { address: operation.api, query }
    const { input, request } = yield* Either.mapLeft(
      rewrite(operation, parameters, chosen.query, body),
      Failure.fromQueryError
    )
    return { operation, route, address: chosen.address, request, input }
  })

/** `network` is between the client and us: it chooses the ledger's address and is not sent. */
const readNetwork = (
  query: WireRequest["query"]
): Either.Either<
  { readonly address: AddressName; readonly query: WireRequest["query"] },
  Failure.Failure
> => {
  const values = query.flatMap(([name, value]) => name === "network" && value !== "" ? [value] : [])
  const ledger = Object.entries(ledgers).find(([network]) => values.every((value) => value === network))
  return ledger === undefined
    ? Either.left(
      Failure.make("invalid-request", `network: expected one of ${Object.keys(ledgers).join(", ")}`)
    )
    : Either.right({ address: ledger[1], query: query.filter(([name]) => name !== "network") })
}
