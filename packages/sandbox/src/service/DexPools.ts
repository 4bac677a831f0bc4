/** Exchanges, and the pools of tokens on them. */
import type { ChainName } from "@blockquarry/core/Chain"
import type { ChainLedger, Token } from "../Ledger.ts"
import { addressFor, numberFor } from "./Digest.ts"

export interface Dex {
  /** As requests name it. */
  readonly name: string
  /** As answers show it. */
  readonly title: string
  /** The address of its factory. */
  readonly factory: string
}

/** A token's pool on an exchange. */
export interface LiquidityPool {
  readonly exchange: Dex
  readonly pair: string
  readonly liquidityUsd: string
  /** How far its price is from the token's, as a factor. */
  readonly spread: number
}

const titles: Readonly<Record<string, string>> = {
  uniswapv2: "Uniswap v2",
  uniswapv3: "Uniswap v3",
  sushiswapv2: "SushiSwap v2",
  pancakeswapv1: "PancakeSwap v1",
  pancakeswapv2: "PancakeSwap v2",
  pancakeswapv3: "PancakeSwap v3",
  quickswap: "QuickSwap",
  quickswapv2: "QuickSwap v2",
  traderjoe: "Trader Joe",
  pangolin: "Pangolin",
  spookyswap: "SpookySwap",
  vvs: "VVS",
  "mm finance": "MM Finance",
  crodex: "Crodex",
  camelotv2: "Camelot v2"
}

const defaultDexes = ["uniswapv2", "uniswapv3", "sushiswapv2"]

const dexesByChain: Partial<Record<ChainName, ReadonlyArray<string>>> = {
  polygon: ["quickswap", "quickswapv2", "uniswapv3", "sushiswapv2"],
  bsc: ["pancakeswapv2", "pancakeswapv1", "pancakeswapv3"],
  avalanche: ["traderjoe", "pangolin"],
  fantom: ["spookyswap", "sushiswapv2"],
  cronos: ["vvs", "mm finance", "crodex"],
  arbitrum: ["camelotv2", "uniswapv3", "sushiswapv2"]
}

/** The exchanges of a chain. */
export const dexesOf = (chain: ChainName): ReadonlyArray<Dex> =>
  (dexesByChain[chain] ?? defaultDexes).map((name) => ({
    name,
    title: titles[name] ?? name,
    factory: addressFor("factory", chain, name)
  }))

/** The pools of a token: on the chain's first exchange always, on the others it depends on the token. */
export const poolsOf = (chain: ChainLedger, token: Token): ReadonlyArray<LiquidityPool> =>
  dexesOf(chain.name).flatMap((exchange, index) => {
    const identity = [chain.name, token.address, exchange.name]
    if (index > 0 && numberFor(2, "listed", ...identity) === 0) return []
    return [{
      exchange,
      pair: addressFor("pair", ...identity),
      liquidityUsd: `${10_000 + numberFor(90_000_000, "liquidity", ...identity)}.${
        numberFor(90, "cents", ...identity) + 10
      }`,
      spread: index === 0 ? 1 : 1 + (numberFor(6001, "spread", ...identity) - 3000) / 1e6
    }]
  })

/** Whether a request means an exchange, by its name or by the address of its factory. */
export const matchesDex = ({ factory, name }: Dex, requested: string): boolean =>
  requested.toLowerCase() === name || requested.toLowerCase() === factory
