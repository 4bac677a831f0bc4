/**
 * A service with endpoints that no operation describes, on the loopback interface, and requests to each of them with what every
 * door returns: layers, the promise client and the command line.
 */
import type { ApiRequest } from "@blockquarry/core/ApiRequest"
import type { JsonValue } from "@blockquarry/core/LosslessJson"
import type { OperationError } from "@blockquarry/core/OperationError"
/** The API key, which occurs in no other text. */
export declare const key = "CANARY-e41d07b3aa"
/** A request, and what it returns. */
export interface EndpointCase {
  readonly name: string
  readonly request: ApiRequest
  /** The output; for a list, all records. */
  readonly output?: JsonValue
  readonly isList?: boolean
  /** The tag of the error, if it fails. */
  readonly error?: OperationError["_tag"]
  /** The requests that the service gets, as `METHOD target body`. */
  readonly sent: ReadonlyArray<string>
}
export declare const cases: ReadonlyArray<EndpointCase>
/** Paths that would leave the base URL, for the host of another service. */
export declare const escapingPaths: (host: string) => ReadonlyArray<string>
export interface OtherEndpoints {
  /** The base URL, with a path that no request may leave. */
  readonly baseUrl: string
  /** The host of another service. */
  readonly elsewhere: string
  /** The requests to the service so far, as in `EndpointCase.sent`. A path that is not below the base URL is kept whole. */
  readonly sent: ReadonlyArray<string>
  /** The API keys of all requests; null without one. */
  readonly keys: ReadonlyArray<string | null>
  /** The requests to the other service. */
  readonly sentElsewhere: ReadonlyArray<string>
  readonly close: () => Promise<void>
}
/** Starts the service, and another one to which no request may go. */
export declare const start: () => Promise<OtherEndpoints>
// # sourceMappingURL=OtherEndpoints.d.ts.map
