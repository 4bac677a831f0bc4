/**
 * How the sandbox behaves.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import type { Ledger } from "../Ledger.ts"
import type { FaultRule } from "./Fault.ts"

/**
 * How long a collection that is not indexed stays SYNCING after its first read: a number of reads, or a time
 * by the `Clock`.
 *
 * @since 0.1.0
 * @category models
 */
export type SyncAfter = { readonly reads: number } | { readonly duration: Duration.DurationInput }

/**
 * @since 0.1.0
 * @category models
 */
export interface SandboxOptions {
  /** What the ledger is made from; default 1. */
  readonly seed?: number
  /** How many transfers the busiest wallet has; the ledger has a default. */
  readonly scale?: number
  /** A ledger of your own, instead of seed and scale. */
  readonly ledger?: Ledger
  /** Whether the envelope of wallet transfers has a cursor; default true. */
  readonly walletTransfersCursor?: boolean
  /** How many new blocks appear on a chain with each request for it; default 0. */
  readonly blocksPerRequest?: number
  /** Faults that requests meet unless they ask for one themselves. */
  readonly faults?: ReadonlyArray<FaultRule>
  /** Records on a page where no limit is given; default 100. On NFTs of a contract it is always 100. */
  readonly defaultPageSize?: number
  /** The largest limit; default 100. */
  readonly maxLimit?: number
  /** Default: two reads. */
  readonly syncAfter?: SyncAfter
  /** How many requests are remembered for `requests`; default 10,000. */
  readonly maxRecordedRequests?: number
}

/** What is left of the options once there is a ledger. */
export interface ResolvedOptions extends Required<Omit<SandboxOptions, "seed" | "scale" | "ledger">> {}

export const resolveOptions = (options: SandboxOptions): ResolvedOptions => {
  const { maxLimit = 100 } = options
  return {
    walletTransfersCursor: options.walletTransfersCursor ?? true,
    blocksPerRequest: options.blocksPerRequest ?? 0,
    faults: options.faults ?? [],
    defaultPageSize: Math.min(options.defaultPageSize ?? 100, maxLimit),
    maxLimit,
    syncAfter: options.syncAfter ?? { reads: 2 },
    maxRecordedRequests: options.maxRecordedRequests ?? 10_000
  }
}
