/** Exchanges and their liquidity pools. */
import type { ChainName } from "@blockquarry/core/Chain"
import type { ChainLedger, Token } from "../Ledger.ts"
import { addressFor, numberFor } from "./Digest.ts"

export interface Dex {
  /** The name in requests. */
  readonly name: string
  /** The name in responses. */
  readonly title: string
  /** The factory address. */
  readonly factory: string
}

/** The pool of a token on an exchange. */
export interface LiquidityPool {
  readonly exchange: Dex
  readonly pair: string
  readonly liquidityUsd: string
  /** The price in this pool relative to the price of the token. */
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

/** Returns the exchanges of a chain. */
export const dexesOf = (chain: ChainName): ReadonlyArray<Dex> =>
  (dexesByChain[chain] ?? defaultDexes).map((name) => ({
    name,
    title: titles[name] ?? name,
    factory: addressFor("factory", chain, name)
  }))

/** Returns the pools of a token: always one on the first exchange of the chain, and some on the others. */
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

/** Returns whether a request names an exchange, by name or by factory address. */
export const matchesDex = ({ factory, name }: Dex, requested: string): boolean =>
  requested.toLowerCase() === name || requested.toLowerCase() === factory
