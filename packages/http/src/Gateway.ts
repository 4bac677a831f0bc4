/**
 * What a gateway needs beyond an application: responses as bytes, whole lists without decoding, cache entries, and the
 * health of the upstream. Unstable: these modules may change in any release.
 *
 * @since 0.1.0
 */
export { type FairShare, makeFairShare } from "./internal/admission/Fairness.ts"
export { parseRetryAfter } from "./internal/attempt/ErrorDetails.ts"
export * as CallClient from "./internal/call/CallClient.ts"
export type * as Classification from "./internal/call/Classification.ts"
export type * as EngineHealth from "./internal/call/EngineHealth.ts"
export type * as EngineResponse from "./internal/call/EngineResponse.ts"
export * as Upstream from "./internal/call/Upstream.ts"
export * as Completed from "./internal/Completed.ts"
export * as Engine from "./internal/Engine.ts"
export * as RawRecords from "./internal/RawRecords.ts"
export * as SteadyClock from "./internal/SteadyClock.ts"
export * as BaseUrl from "./internal/transport/BaseUrl.ts"
export { type BodyScan, bodyScan } from "./internal/transport/BodyScan.ts"
export * as RawResponse from "./internal/transport/RawResponse.ts"
export { responseContainsSecret, textContainsSecret } from "./internal/transport/Secrets.ts"
export { type BodyMemory, CurrentBodyMemory } from "./internal/transport/Transport.ts"
