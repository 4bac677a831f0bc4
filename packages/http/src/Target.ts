/**
 * Targets: where an API's requests go, with which key, under which policies.
 *
 * @since 0.1.0
 */
import { fingerprint } from "@blockquarry/core/Fingerprint"
import { type Api, prefix } from "@blockquarry/core/Operation"
import { InvalidRequest, KeyRefused } from "@blockquarry/core/QueryError"
import type { ArraySpelling } from "@blockquarry/core/Wire"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Function from "effect/Function"
import * as Redacted from "effect/Redacted"
import { type ApiOptions, defaults, type Policies } from "./ApiOptions.ts"
import { normalise } from "./BaseUrl.ts"
import * as Settings from "./Settings.ts"
import * as Transport from "./Transport.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Target {
  /** Where and with which key; a left is the failure of every call that needs what is missing. */
  readonly address: Either.Either<Address, (operation: string) => InvalidRequest | KeyRefused>
  readonly transport: Transport.Transport
  readonly policies: Policies
  readonly arrays: ArraySpelling
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Address {
  /** Without a trailing slash, the API's prefix included. */
  readonly url: string
  /** The same without the prefix: what limits, pauses and breakers are counted for. */
  readonly base: string
  readonly apiKey: Redacted.Redacted
  /** Stands for this key at this base, and does not tell the key. */
  readonly name: string
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
    address: resolve(api, options, setting),
    transport: Transport.fromHttpClient(
      (options.transformClient ?? Function.identity)(client),
      options.maxBodySize ?? Transport.defaultMaxBodySize
    ),
    policies: {
      cache: options.cache ?? defaults.cache,
      timeouts: options.timeouts ?? defaults.timeouts,
      retry: options.retry ?? defaults.retry,
      rateLimit: options.rateLimit ?? defaults.rateLimit,
      breaker: options.breaker ?? defaults.breaker,
      concurrency: options.concurrency ?? defaults.concurrency
    },
    arrays: options.arrays ?? "brackets"
  }))

const resolve = (api: Api, { apiKey, baseUrl }: ApiOptions, setting: string): Target["address"] => {
  const invalid = (parameter: string, problem: string) =>
    Either.left((operation: string) => new InvalidRequest({ operation, issues: [{ parameter, problem }] }))
  if (baseUrl === undefined || baseUrl === "") {
    return invalid(setting, "no address of the service is set; set this to its base URL")
  }
  const url = normalise(api, baseUrl)
  if (Either.isLeft(url)) return invalid(setting, url.left)
  if (apiKey === undefined || Redacted.value(apiKey) === "") {
    return Either.left((operation) =>
      new KeyRefused({ operation, request: null, status: null, detail: null, body: "" })
    )
  }
  // Clients of HTTP refuse such a key, and look as if the network had failed.
  return noHeader.test(Redacted.value(apiKey))
    ? invalid(Settings.apiKey, "the key holds characters that no header can carry, such as a line break")
    : Either.right(addressOf(api, url.right, apiKey))
}

const addressOf = (api: Api, url: string, apiKey: Redacted.Redacted): Address => {
  const base = url.slice(0, url.length - prefix[api].length)
  return { url, base, apiKey, name: fingerprint(`${base}\n${Redacted.value(apiKey)}`) }
}

/** What the value of a header cannot hold. */
const noHeader = /[^\t\x20-\x7e\x80-\xff]/
