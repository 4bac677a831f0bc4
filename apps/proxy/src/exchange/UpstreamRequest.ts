/** What is sent to an upstream for a request: an operation, its input, and the HTTP request that they make. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import type { UpstreamName } from "../config/Config.ts"

export interface UpstreamRequest {
  readonly operation: AnyOperation
  /** The path with its parameters unnamed. */
  readonly route: string
  readonly upstreamName: UpstreamName
  readonly request: EncodedRequest
  /** What the request was read as. */
  readonly input: unknown
}
