/**
 * The chains: where their heads are, how fast they go, what their native token is, and how much happens on them.
 */
import type { ChainName } from "@blockquarry/core/Chain"

/** The instant of every chain's head before it grows: 1 June 2025, midnight UTC. */
export const headTime = 1_748_736_000_000

/** The chain on which the busy token is. */
export const busyChain: ChainName = "eth"

/** How a chain is set up. */
export interface ChainConfig {
  readonly head: number
  /** Milliseconds between blocks. */
  readonly blockTime: number
  /** The native token: name, symbol, US dollars (null on test networks, where nothing has a price). */
  readonly native: readonly [name: string, symbol: string, usdPrice: number | null]
  /** `main` chains have all tokens and collections, `side` chains a few, and on `quiet` ones nothing happened yet. */
  readonly size: "main" | "side" | "quiet"
}

const ether = ["Ether", "ETH", 2528.47] as const
const testEther = ["Ether", "ETH", null] as const

/** All chains that can be asked about. */
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

const isName = (text: string): text is ChainName => Object.hasOwn(chainConfigs, text)

/** Their names. */
export const chainNames: ReadonlyArray<ChainName> = Object.keys(chainConfigs).filter(isName)
