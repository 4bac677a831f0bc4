/**
 * Everything of this package under one import. Deep imports (`@blockquarry/http/DataApi`) make smaller bundles.
 *
 * @since 0.1.0
 */
export * as Answer from "./Answer.ts"
export * as ApiOptions from "./ApiOptions.ts"
export * as BaseUrl from "./BaseUrl.ts"
export * as Client from "./Client.ts"
export * as DataApi from "./DataApi.ts"
export * as Engine from "./Engine.ts"
export * as LargestHolders from "./LargestHolders.ts"
export * as LedgerApi from "./LedgerApi.ts"
export * as RetryPolicy from "./RetryPolicy.ts"
export * as Settings from "./Settings.ts"
export * as SideBySide from "./SideBySide.ts"
export * as StreamsApi from "./StreamsApi.ts"
export * as Synced from "./Synced.ts"
export * as Target from "./Target.ts"
export * as Telemetry from "./Telemetry.ts"
export * as Timeouts from "./Timeouts.ts"
export * as Transport from "./Transport.ts"
export * as Verdict from "./Verdict.ts"
export * as Walk from "./Walk.ts"
