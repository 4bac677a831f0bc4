/**
 * Every function of `Moralis.EvmApi`, and an upstream with all of it, which bills every response. Methods, paths and parameters
 * are those of the SDK's own descriptions; `fixtures/evmApi.json` has prices and responses.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import Moralis from "moralis"
import { operations, operationsV2 } from "moralis/common-evm-utils"
import { readFileSync } from "node:fs"
import * as FakeUpstream from "../fleet/support/FakeUpstream.ts"

const bytes = (digits: string, count: number) => `0x${digits.repeat(count)}`
const [wallet, other, token] = [bytes("a1", 20), bytes("b2", 20), bytes("c3", 20)]
const event = { type: "event", name: "Transfer", inputs: [], anonymous: false }
const review = { contractAddress: token, reason: "spam", reportType: "spam", contractType: "ERC20" } as const

/** The parameters of all functions. */
const parameters = {
  chain: "0x1" as const,
  chains: ["0x1", "0x89"],
  address: wallet,
  tokenAddress: token,
  token0Address: token,
  token1Address: other,
  pairAddress: other,
  tokenId: "42",
  blockNumberOrHash: "19000000",
  transactionHash: bytes("f6", 32),
  domain: "example.eth",
  date: "2026-01-02T03:04:05.000Z",
  symbols: ["EXM"],
  addresses: [token],
  walletAddresses: [wallet, other],
  ownerAddress: wallet,
  spenderAddress: other,
  exchange: "uniswapv2" as const,
  protocol: "uniswap-v3" as const,
  topic: bytes("f6", 32),
  topic0: bytes("f6", 32),
  functionName: "read",
  abi: event,
  tokens: [{ tokenAddress: token, tokenId: "42" }],
  contracts: [review]
}

interface SdkResponse {
  readonly result: unknown
  readonly toJSON: () => unknown
  readonly hasNext?: () => boolean
  readonly next?: () => Promise<SdkResponse>
}

type SdkFunction = (request: typeof parameters, body: typeof parameters) => Promise<SdkResponse | null>

const { EvmApi: api } = Moralis

const functions: { readonly [name: string]: SdkFunction } = {
  ...api.balance,
  ...api.block,
  ...api.defi,
  ...api.events,
  ...api.marketData,
  ...api.nft,
  ...api.resolve,
  ...api.token,
  ...api.transaction,
  ...api.utils,
  ...api.wallets,
  uploadFolder: () => api.ipfs.uploadFolder({ abi: [{ path: "a.txt", content: "YQ==" }] })
}

/** What a function sends. */
interface Description {
  readonly method: string
  /** A pattern such as `/{address}/balance`. */
  readonly path: string
  /** The parameters that the function accepts. Default: any. */
  readonly accepts?: ReadonlyArray<string>
}

const descriptions = new Map<string, Description>([
  ...operationsV2.map((operation): [string, Description] => [operation.name, {
    method: operation.method,
    path: operation.urlPathPattern,
    accepts: [operation.urlPathParamNames, operation.urlSearchParamNames, operation.bodyParamNames]
      .flatMap((names) => names?.map(String) ?? [])
  }]),
  ...operations.map(({ httpMethod, operationId, routePattern }): [string, Description] => [
    operationId,
    { method: httpMethod.toUpperCase(), path: routePattern }
  ])
])

const Fixture = Schema.Record({
  key: Schema.String,
  value: Schema.Struct({
    /** In units. */
    price: Schema.Number,
    /** The list parameter for each of whose items the price is taken. */
    per: Schema.optional(Schema.String),
    response: Schema.optional(Schema.Unknown)
  })
})

const fixture = Schema.decodeUnknownSync(Schema.parseJson(Fixture))(
  readFileSync(new URL("../fixtures/evmApi.json", import.meta.url), "utf8")
)

/** All parameters, of which the SDK sees those that it accepts: it rejects others. */
const acceptedParameters = (accepts: ReadonlyArray<string>): typeof parameters => {
  const accepted = { ...parameters }
  for (const name of Object.keys(parameters)) {
    Object.defineProperty(accepted, name, { enumerable: accepts.includes(name) })
  }
  return accepted
}

export const evmCalls = Object.entries(functions).map(([name, call]) => {
  const { accepts = Object.keys(parameters), method, path } = descriptions.get(name) ??
    { method: "", path: "" }
  const entry = fixture[name]
  if (entry === undefined || path === "") throw new Error(`no fixture or description of ${name}`)
  const request = acceptedParameters(accepts)
  return { name, method, path, ...entry, call: () => call(request, request) }
})

export type EvmCall = typeof evmCalls[number]

/** The path of the API. */
export const prefix = "/api/v2.2"

/** What `/info/endpointWeights` says. A price per item is that of one item. */
export const weights = evmCalls.map(({ name, path, price }) => ({
  endpoint: name,
  path,
  price: String(price),
  rateLimitCost: String(Math.ceil(price / 10))
}))

/** Literal segments come before parameters. */
const endpoints = evmCalls.map((call) => ({
  call,
  pattern: new RegExp(`^${call.path.replaceAll(/{\w+}/g, "[^/]+")}$`)
}))
  .sort((a, b) => a.call.path.replaceAll("{", "~") < b.call.path.replaceAll("{", "~") ? -1 : 1)

/** The response of a function; lists have two pages. */
const bodyOf = ({ name, response }: EvmCall, query: URLSearchParams): unknown => {
  if (name === "endpointWeights") return weights
  return Predicate.hasProperty(response, "cursor") && !query.has("cursor")
    ? { ...response, cursor: "second" }
    : response
}

const priceOf = ({ per, price }: EvmCall, query: URLSearchParams): number =>
  per === undefined ? price : price * Math.max(1, query.getAll(`${per}[]`).length)

interface BilledRequest {
  readonly key: string
  /** The name of the function. */
  readonly endpoint: string
  /** In units. */
  readonly price: number
}

export interface EvmStub extends FakeUpstream.FakeUpstream {
  /** Every request that got a response, once. */
  readonly bill: Array<BilledRequest>
}

/** Starts the upstream. `respond` of another test may call the one that it has. */
export const make = Effect.map(FakeUpstream.make, (upstream): EvmStub => {
  const bill: Array<BilledRequest> = []
  upstream.respond = ({ key, method, target }) =>
    Effect.sync(() => {
      const { pathname, searchParams } = new URL(target, upstream.url)
      const path = pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : ""
      const call = endpoints.find(({ call, pattern }) => call.method === method && pattern.test(path))?.call
      if (call === undefined) {
        return { status: 404, body: JSON.stringify({ message: `no endpoint ${pathname}` }) }
      }
      const price = priceOf(call, searchParams)
      bill.push({ key, endpoint: call.name, price })
      const body = JSON.stringify(bodyOf(call, searchParams))
      return { status: 200, headers: { "x-request-weight": String(price) }, body }
    })
  return Object.assign(upstream, { bill })
})
