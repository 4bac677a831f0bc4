/**
 * Targets: where an API's requests go, with which key, under which policies.
 *
 * @since 0.1.0
 */
import type { Api } from "@blockquarry/core/Operation"
import { InvalidRequest, KeyRefused } from "@blockquarry/core/QueryError"
import type { ArraySpelling } from "@blockquarry/core/Wire"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Function from "effect/Function"
import * as Redacted from "effect/Redacted"
import type { ApiOptions } from "./ApiOptions.ts"
import { normalise } from "./BaseUrl.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import * as Settings from "./Settings.ts"
import * as Timeouts from "./Timeouts.ts"
import * as Transport from "./Transport.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Target {
  /** Where and with which key; a left is the failure of every call that needs what is missing. */
  readonly address: (operation: string) => Either.Either<Address, InvalidRequest | KeyRefused>
  readonly transport: Transport.Transport
  readonly retry: RetryPolicy.RetryPolicy
  readonly timeouts: Timeouts.Timeouts
  readonly arrays: ArraySpelling
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Address {
  /** Without a trailing slash, the API's prefix included. */
  readonly url: string
  readonly apiKey: Redacted.Redacted
}

/**
 * Makes a target from options and the HttpClient in context. `setting` is what a message about a missing address
 * tells people to set.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  api: Api,
  options: ApiOptions,
  setting: string
): Effect.Effect<Target, never, HttpClient.HttpClient> =>
  Effect.map(HttpClient.HttpClient, (client) => ({
    address: (operation) => resolve(api, options, setting, operation),
    transport: Transport.fromHttpClient(
      (options.transformClient ?? Function.identity)(client),
      options.maxBodySize ?? Transport.defaultMaxBodySize
    ),
    retry: options.retry ?? RetryPolicy.standard,
    timeouts: options.timeouts ?? Timeouts.standard,
    arrays: options.arrays ?? "brackets"
  }))

const resolve = (
  api: Api,
  { apiKey, baseUrl }: ApiOptions,
  setting: string,
  operation: string
): Either.Either<Address, InvalidRequest | KeyRefused> => {
  const invalid = (parameter: string, problem: string) =>
    Either.left(new InvalidRequest({ operation, issues: [{ parameter, problem }] }))
  if (baseUrl === undefined || baseUrl === "") {
    return invalid(setting, "no address of the service is set; set this to its base URL")
  }
  const url = normalise(api, baseUrl)
  if (Either.isLeft(url)) return invalid(setting, url.left)
  if (apiKey === undefined || Redacted.value(apiKey) === "") {
    return Either.left(new KeyRefused({ operation, request: null, status: null, detail: null, body: "" }))
  }
  // Clients of HTTP refuse such a key, and look as if the network had failed.
  return noHeader.test(Redacted.value(apiKey))
    ? invalid(Settings.apiKey, "the key holds characters that no header can carry, such as a line break")
    : Either.right({ url: url.right, apiKey })
}

/** What the value of a header cannot hold. */
const noHeader = /[^\t\x20-\x7e\x80-\xff]/
