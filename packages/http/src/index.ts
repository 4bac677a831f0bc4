/**
 * Every module of this package under one import. Deep imports (`@blockquarry/http/DataApi`) make smaller bundles.
 *
 * @since 0.1.0
 */
export * as ApiClient from "./ApiClient.ts"
export * as ApiKey from "./ApiKey.ts"
export * as ApiOptions from "./ApiOptions.ts"
export * as CacheStore from "./CacheStore.ts"
export * as CallOptions from "./CallOptions.ts"
export * as CallUsage from "./CallUsage.ts"
export * as CircuitBreaker from "./CircuitBreaker.ts"
export * as ConcurrencyLimit from "./ConcurrencyLimit.ts"
export * as DataApi from "./DataApi.ts"
export * as Gateway from "./Gateway.ts"
export * as LedgerApi from "./LedgerApi.ts"
export * as Pagination from "./Pagination.ts"
export * as ParallelRanges from "./ParallelRanges.ts"
export * as RateLimit from "./RateLimit.ts"
export * as RateLimitStore from "./RateLimitStore.ts"
export * as ResponseCache from "./ResponseCache.ts"
export * as RetryPolicy from "./RetryPolicy.ts"
export * as Settings from "./Settings.ts"
export * as StoreError from "./StoreError.ts"
export * as StreamsApi from "./StreamsApi.ts"
export * as Sync from "./Sync.ts"
export * as Telemetry from "./Telemetry.ts"
export * as Timeouts from "./Timeouts.ts"
export * as TopHolders from "./TopHolders.ts"
