/** The chains and contracts that are permitted to a client. */
import { Chain } from "@blockquarry/core/Chain"
import type { AnyOperation } from "@blockquarry/core/Operation"
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { ClientConfig } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"

type Input = Readonly<Record<string, unknown>>

/** Returns why a client may not send a request, or null. The request has the encoded input, and parameters that the client adds. */
export type Restrictions = (
  sent: { readonly operation: AnyOperation; readonly input: unknown; readonly request: EncodedRequest }
) => ProxyError.ProxyError | null

/** Returns null for a client without restrictions. */
export const make = (
  { chains, contracts }: Pick<ClientConfig, "chains" | "contracts">
): Restrictions | null => {
  if (chains.length === 0 && contracts.length === 0) return null
  const allowedChains = new Set<unknown>(chains.map((chain) => Schema.decodeSync(Chain)(chain)))
  const allowedContracts = new Set<unknown>(contracts)
  const code = chains.length > 0 ? "chain-not-allowed" : "contract-not-allowed"
  return ({ input, operation, request }) => {
    const values: Input = Predicate.isRecord(input) ? input : {}
    const added = addedNames(operation, values, request).find((name) => !isHarmless(name))
    if (added !== undefined) return parameterNotAllowed(code, added)
    // The other APIs have neither chains nor contracts.
    if (operation.api !== "data") return null
    const chain = allowedChains.size === 0
      ? undefined
      : chainsOf(operation, values).find((chain) => !allowedChains.has(chain))
    if (chain !== undefined) return chainNotAllowed(chain)
    const requested = contractsOf(operation, values)
    return allowedContracts.size === 0 ||
        requested.length > 0 && requested.every((contract) => allowedContracts.has(contract))
      ? null
      : contractNotAllowed
  }
}

/** The chains of a request. Without any, it is for the default of the upstream, or for all if there could be several. */
const chainsOf = (operation: AnyOperation, input: Input): ReadonlyArray<unknown> => {
  const values = valuesOf(operation, input, "chain", "chains")
  if (values.length > 0) return values
  return [operation.parameters.some(({ name }) => name === "chain") ? "eth" : "all"]
}

/** The contracts whose data a request asks for. None if it is that of any contract. */
const contractsOf = (operation: AnyOperation, input: Input): ReadonlyArray<unknown> =>
  valuesOf(operation, input, /^\/(?:erc20|nft)\/:(\w+)/.exec(operation.path)?.[1] ?? "contract_addresses")

const valuesOf = ({ parameters }: AnyOperation, input: Input, ...names: ReadonlyArray<string>) =>
  parameters.flatMap(({ name }): unknown => names.includes(name) ? input[name] ?? [] : [])

/** The names in the query that are not encoded from the input. */
const addedNames = ({ parameters }: AnyOperation, input: Input, { query }: EncodedRequest) => {
  const encoded = new Set(
    parameters.flatMap(({ in: place, name }) => place === "query" && Object.hasOwn(input, name) ? [name] : [])
  )
  return query.map(([name]) => name).filter((name) => !encoded.has(name.replace(/\[\d*\]$/, "")))
}

/** Whether no upstream reads the parameter as one that is restricted. */
const isHarmless = (name: string): boolean =>
  /^[\w.-]+(?:\[\w*\])*$/.test(name) && !/chain|network|contract|address|token/i.test(name)

const parameterNotAllowed = (code: ProxyError.ProxyError["code"], name: string): ProxyError.ProxyError =>
  ProxyError.make(
    code,
    `this token is for some chains or contracts only (clients.chains, clients.contracts), so it may not add ${
      JSON.stringify(name.slice(0, 64))
    }, which is no parameter of the operation; remove it`
  )

const chainNotAllowed = (chain: unknown): ProxyError.ProxyError =>
  ProxyError.make(
    "chain-not-allowed",
    `this token is not allowed for chain ${String(chain)} (clients.chains)`
  )

const contractNotAllowed = ProxyError.make(
  "contract-not-allowed",
  "this token is allowed for some contracts only, and the request is for others or for any (clients.contracts)"
)
