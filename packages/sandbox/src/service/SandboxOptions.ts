/** Options of the sandbox. */
import * as Duration from "effect/Duration"
import type { Ledger } from "../Ledger.ts"
import type { FaultRule } from "./Fault.ts"

/**
 * How long a collection that is not indexed stays SYNCING after its first request: a number of requests, or a duration
 * according to the `Clock`.
 */
export type SyncAfter = { readonly reads: number } | { readonly duration: Duration.DurationInput }

/** Options of the sandbox. */
export interface SandboxOptions {
  /** Seed of the synthetic data. Default: 1. */
  readonly seed?: number
  /** Number of transfers of the busy token. Default: 10,000. */
  readonly scale?: number
  /** Uses this ledger instead of generating one from `seed` and `scale`. */
  readonly ledger?: Ledger
  /** Whether pages of wallet transfers have a cursor. Default: true. */
  readonly walletTransfersCursor?: boolean
  /** Time after which each chain grows by a block, according to the `Clock`. Default: chains do not grow with time. */
  readonly blockTime?: Duration.DurationInput
  /** Faults of requests without a fault header. Default: none. */
  readonly faults?: ReadonlyArray<FaultRule>
  /** Page size of requests without a limit. Default: 100. Always 100 for `contractNfts`. */
  readonly defaultPageSize?: number
  /** The maximum page size, also for requests with a larger limit. Default: 100. */
  readonly maxLimit?: number
  /** When collections become indexed. Default: after two requests. */
  readonly syncAfter?: SyncAfter
  /** Number of requests in `recordedRequests`. Default: 10,000. */
  readonly maxRecordedRequests?: number
}

/** The options with defaults, without those of the ledger. */
export interface ResolvedOptions extends Required<Omit<SandboxOptions, "seed" | "scale" | "ledger">> {}

export const resolveOptions = (options: SandboxOptions): ResolvedOptions => {
  const { maxLimit = 100 } = options
  return {
    walletTransfersCursor: options.walletTransfersCursor ?? true,
    blockTime: options.blockTime ?? Duration.infinity,
    faults: options.faults ?? [],
    defaultPageSize: Math.min(options.defaultPageSize ?? 100, maxLimit),
    maxLimit,
    syncAfter: options.syncAfter ?? { reads: 2 },
    maxRecordedRequests: options.maxRecordedRequests ?? 10_000
  }
}
