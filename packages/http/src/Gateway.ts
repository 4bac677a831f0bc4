/**
 * What a gateway needs beyond an application: responses as bytes, whole lists without decoding, cache entries, and the
 * health of the upstream. Unstable: these modules may change in any release.
 *
 * @since 0.1.0
 */
export * as Completed from "./internal/Completed.ts"
export * as RawRecords from "./internal/pagination/RawRecords.ts"
export * as CallClient from "./internal/pipeline/CallClient.ts"
export type * as Classification from "./internal/pipeline/Classification.ts"
export * as Engine from "./internal/pipeline/Engine.ts"
export type * as EngineHealth from "./internal/pipeline/EngineHealth.ts"
export type * as EngineResponse from "./internal/pipeline/EngineResponse.ts"
export { parseRetryAfter } from "./internal/pipeline/ErrorDetails.ts"
export { type FairShare, makeFairShare } from "./internal/pipeline/Fairness.ts"
export * as Upstream from "./internal/pipeline/Upstream.ts"
export * as SteadyClock from "./internal/SteadyClock.ts"
export * as BaseUrl from "./internal/transport/BaseUrl.ts"
export { type BodyScan, bodyScan } from "./internal/transport/BodyScan.ts"
export * as RawResponse from "./internal/transport/RawResponse.ts"
export { responseContainsSecret, textContainsSecret } from "./internal/transport/Secrets.ts"
export { type BodyMemory, CurrentBodyMemory } from "./internal/transport/Transport.ts"
