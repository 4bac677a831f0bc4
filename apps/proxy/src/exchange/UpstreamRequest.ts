/** The upstream request for a request of a client: an operation, its decoded input, and the encoded HTTP request. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import type { UpstreamName } from "../config/BaseUrls.ts"

export interface UpstreamRequest {
  readonly operation: AnyOperation
  readonly route: string
  readonly upstreamName: UpstreamName
  readonly request: EncodedRequest
  readonly input: unknown
}
