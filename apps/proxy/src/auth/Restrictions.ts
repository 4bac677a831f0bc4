/** The chains and contracts that are permitted to a client. */
import { Chain } from "@blockquarry/core/Chain"
import type { AnyOperation } from "@blockquarry/core/Operation"
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import * as Schema from "effect/Schema"
import type { ClientConfig } from "../config/Config.ts"
import * as ProxyError from "../exchange/ProxyError.ts"

/** Returns why a client may not send a request, or null. */
export type Restrictions = (
  operation: AnyOperation,
  request: EncodedRequest
) => ProxyError.ProxyError | null

/** The chain of a request that names none. */
const defaultChain = "0x1"

/** Returns null for a client without restrictions. */
export const make = (
  { chains, contracts }: Pick<ClientConfig, "chains" | "contracts">
): Restrictions | null => {
  if (chains.length === 0 && contracts.length === 0) return null
  const allowedChains = new Set(
    chains.map((chain) => Schema.encodeSync(Chain)(Schema.decodeSync(Chain)(chain)))
  )
  const allowedContracts = new Set(contracts)
  return (operation, request) => {
    if (operation.api !== "data") return null
    const chain = allowedChains.size === 0
      ? undefined
      : chainsOf(operation, request).find((chain) => !allowedChains.has(chain))
    if (chain !== undefined) return chainNotAllowed(chain)
    return allowedContracts.size > 0 && !isAllowed(contractsOf(operation, request), allowedContracts)
      ? contractNotAllowed
      : null
  }
}

const isAllowed = (contracts: ReadonlyArray<string>, allowed: ReadonlySet<string>): boolean =>
  contracts.length > 0 && contracts.every((contract) => allowed.has(contract.toLowerCase()))

/** The canonical chains of a request. One that could name several and names none asks for all. */
const chainsOf = ({ parameters }: AnyOperation, request: EncodedRequest): ReadonlyArray<string> => {
  const values = valuesOf(request, "chain", "chains")
  if (values.length > 0) return values
  return [parameters.some(({ name }) => name === "chains") ? "all" : defaultChain]
}

/** The contracts whose data a request asks for. None if it is that of any contract. */
const contractsOf = ({ path }: AnyOperation, request: EncodedRequest): ReadonlyArray<string> =>
  /^\/(?:erc20|nft)\/:/.test(path)
    ? request.path.split("/").slice(2, 3)
    : valuesOf(request, "contract_addresses")

const valuesOf = ({ query }: EncodedRequest, ...parameters: ReadonlyArray<string>): ReadonlyArray<string> =>
  query.filter(([name]) => parameters.includes(name.replace(/\[\d*\]$/, ""))).map(([, value]) => value)

const chainNotAllowed = (chain: string): ProxyError.ProxyError =>
  ProxyError.make("chain-not-allowed", `this token is not allowed for chain ${chain} (clients.chains)`)

const contractNotAllowed = ProxyError.make(
  "contract-not-allowed",
  "this token is allowed for some contracts only, and the request is for others or for any (clients.contracts)"
)
