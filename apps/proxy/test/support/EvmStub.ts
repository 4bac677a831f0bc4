/** An upstream with the whole EVM API of the SDK, which bills every response. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as FakeUpstream from "../fleet/support/FakeUpstream.ts"
import { type EvmCall, evmCalls } from "./evmCalls.ts"

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
