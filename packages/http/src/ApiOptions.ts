/**
 * What a client of one of the three APIs is made from.
 *
 * @since 0.1.0
 */
import type { ArraySpelling } from "@blockquarry/core/Wire"
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Redacted from "effect/Redacted"
import type { RetryPolicy } from "./RetryPolicy.ts"
import type { Timeouts } from "./Timeouts.ts"

/**
 * Policies of a client. What is left out is standard.
 *
 * @since 0.1.0
 * @category models
 */
export interface Policies {
  readonly retry?: RetryPolicy | undefined
  readonly timeouts?: Timeouts | undefined
  /** The longest body that is read, in bytes; 64 MiB where nothing is said. */
  readonly maxBodySize?: number | undefined
  /** How parameters of several values are spelled; `name[]=A&name[]=B` where nothing is said. */
  readonly arrays?: ArraySpelling | undefined
  /** Wraps the HttpClient that requests are sent with. */
  readonly transformClient?: ((client: HttpClient.HttpClient) => HttpClient.HttpClient) | undefined
}

/**
 * A client's key, base address and policies. A missing key or address fails the calls that need it, in the error
 * channel, and says what to set.
 *
 * @since 0.1.0
 * @category models
 */
export interface ApiOptions extends Policies {
  readonly apiKey: Redacted.Redacted | undefined
  /** May carry a path and a trailing slash, which are kept. */
  readonly baseUrl: string | URL | undefined
}
