/** Configurations of the chains: head, block time, native token, and amount of history. */
import type { ChainName } from "@blockquarry/core/Chain"

/** The timestamp of the initial head of every chain: 1 June 2025, midnight UTC. */
export const headTime = 1_748_736_000_000

/** The chain of the busy token. */
export const busyChain: ChainName = "eth"

export interface ChainConfig {
  readonly head: number
  /** Milliseconds between blocks. */
  readonly blockTime: number
  /** The native token: name, symbol, price in US dollars (null on test networks). */
  readonly native: readonly [name: string, symbol: string, usdPrice: number | null]
  /** `main` chains have all tokens and collections, `side` chains have a few, and `quiet` chains have no history. */
  readonly size: "main" | "side" | "quiet"
}

const ether = ["Ether", "ETH", 2528.47] as const
const testEther = ["Ether", "ETH", null] as const

export const chainConfigs: { readonly [Name in ChainName]: ChainConfig } = {
  "eth": { head: 22_606_000, blockTime: 12_000, native: ether, size: "main" },
  "sepolia": { head: 8_450_000, blockTime: 12_000, native: testEther, size: "main" },
  "holesky": { head: 3_900_000, blockTime: 12_000, native: testEther, size: "side" },
  "polygon": { head: 72_200_000, blockTime: 2_000, native: ["POL", "POL", 0.2094], size: "main" },
  "polygon amoy": { head: 22_300_000, blockTime: 2_000, native: ["POL", "POL", null], size: "side" },
  "bsc": { head: 50_900_000, blockTime: 3_000, native: ["BNB", "BNB", 656.12], size: "main" },
  "bsc testnet": { head: 52_700_000, blockTime: 3_000, native: ["BNB", "BNB", null], size: "side" },
  "avalanche": { head: 62_900_000, blockTime: 2_000, native: ["Avalanche", "AVAX", 20.61], size: "main" },
  "fantom": { head: 111_500_000, blockTime: 1_000, native: ["Fantom", "FTM", 0.3712], size: "side" },
  "palm": { head: 21_400_000, blockTime: 5_000, native: ["Palm", "PALM", 0.0182], size: "quiet" },
  "cronos": { head: 20_100_000, blockTime: 6_000, native: ["Cronos", "CRO", 0.0987], size: "side" },
  "arbitrum": { head: 342_400_000, blockTime: 250, native: ether, size: "main" },
  "gnosis": { head: 40_350_000, blockTime: 5_000, native: ["xDai", "xDAI", 1.0002], size: "side" },
  "gnosis testnet": { head: 16_200_000, blockTime: 5_000, native: ["xDai", "xDAI", null], size: "side" },
  "chiliz": { head: 23_400_000, blockTime: 3_000, native: ["Chiliz", "CHZ", 0.0406], size: "side" },
  "chiliz testnet": { head: 21_100_000, blockTime: 3_000, native: ["Chiliz", "CHZ", null], size: "quiet" },
  "base": { head: 31_000_000, blockTime: 2_000, native: ether, size: "main" },
  "base sepolia": { head: 26_500_000, blockTime: 2_000, native: testEther, size: "side" },
  "optimism": { head: 136_600_000, blockTime: 2_000, native: ether, size: "main" },
  "optimism sepolia": { head: 28_500_000, blockTime: 2_000, native: testEther, size: "side" },
  "linea": { head: 19_600_000, blockTime: 2_000, native: ether, size: "side" },
  "linea sepolia": { head: 14_100_000, blockTime: 2_000, native: testEther, size: "quiet" },
  "moonbeam": { head: 11_200_000, blockTime: 6_000, native: ["Glimmer", "GLMR", 0.0792], size: "side" },
  "moonriver": { head: 11_700_000, blockTime: 6_000, native: ["Moonriver", "MOVR", 6.84], size: "side" },
  "moonbase": { head: 12_500_000, blockTime: 6_000, native: ["Dev", "DEV", null], size: "side" }
}
