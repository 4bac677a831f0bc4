/**
 * Targets: where an API's requests go, with which keys, under which policies.
 *
 * @since 0.1.0
 */
import { fingerprint } from "@blockquarry/core/Fingerprint"
import { type Api, prefix } from "@blockquarry/core/Operation"
import { InvalidRequest, KeyRefused } from "@blockquarry/core/QueryError"
import type { ArraySpelling } from "@blockquarry/core/Wire"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Equivalence from "effect/Equivalence"
import * as Function from "effect/Function"
import * as Redacted from "effect/Redacted"
import { type ApiKey, defaultLabel } from "./ApiKey.ts"
import { type ApiOptions, defaults, type Policies } from "./ApiOptions.ts"
import { normalise } from "./BaseUrl.ts"
import type { RateLimit } from "./RateLimit.ts"
import * as Settings from "./Settings.ts"
import * as Transport from "./Transport.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Target {
  /** Where and with which keys; a left is the failure of every call that needs what is missing. */
  readonly address: Either.Either<Ring, (operation: string) => InvalidRequest | KeyRefused>
  readonly transport: Transport.Transport
  readonly policies: Policies
  readonly arrays: ArraySpelling
}

/**
 * One base address with all keys that may be used there.
 *
 * @since 0.1.0
 * @category models
 */
export interface Ring {
  /** Without a trailing slash, the API's prefix included. */
  readonly url: string
  /** The same without the prefix. */
  readonly base: string
  /** Stands for these keys at this base, and does not tell them. */
  readonly name: string
  readonly addresses: Array.NonEmptyReadonlyArray<Address>
  /** What no kept answer may say: these keys and `ApiOptions.neverKept`, each value once. */
  readonly neverKept: ReadonlyArray<Redacted.Redacted>
}

/**
 * A base address with one key.
 *
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
  /** What people call the key. */
  readonly label: string
  /** That of the key, or of the target. */
  readonly rateLimit: RateLimit
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

const resolve = (api: Api, options: ApiOptions, setting: string): Target["address"] => {
  const invalid = (parameter: string, problem: string) =>
    Either.left((operation: string) => new InvalidRequest({ operation, issues: [{ parameter, problem }] }))
  if (options.baseUrl === undefined || options.baseUrl === "") {
    return invalid(setting, "no address of the service is set; set this to its base URL")
  }
  const url = normalise(api, options.baseUrl)
  if (Either.isLeft(url)) return invalid(setting, url.left)
  const keys = keysOf(options)
  if (!Array.isNonEmptyReadonlyArray(keys)) {
    return Either.left((operation) =>
      new KeyRefused({ operation, request: null, status: null, detail: null, body: "" })
    )
  }
  for (const { key, label } of keys) {
    const which = keys.length === 1 ? "the key" : `the key ${JSON.stringify(label)}`
    if (Redacted.value(key) === "") {
      return invalid(Settings.apiKey, `${which} is empty; set it or leave it out`)
    }
    // Clients of HTTP refuse such a key, and look as if the network had failed.
    if (noHeader.test(Redacted.value(key))) {
      return invalid(
        Settings.apiKey,
        `${which} holds characters that no header can carry, such as a line break`
      )
    }
  }
  return Either.right(ringOf(api, url.right, keys, options))
}

/** The keys that are set: an empty one that comes alone is none. */
const keysOf = ({ apiKey }: ApiOptions): ReadonlyArray<ApiKey> => {
  if (!Redacted.isRedacted(apiKey)) return apiKey ?? []
  return Redacted.value(apiKey) === "" ? [] : [{ label: defaultLabel, key: apiKey }]
}

const ringOf = (
  api: Api,
  url: string,
  keys: Array.NonEmptyReadonlyArray<ApiKey>,
  { neverKept = [], rateLimit = defaults.rateLimit }: ApiOptions
): Ring => {
  const base = url.slice(0, url.length - prefix[api].length)
  const addresses = Array.dedupeWith(
    Array.map(keys, ({ key, label, rateLimit: own }): Address => ({
      url,
      base,
      apiKey: key,
      name: fingerprint(`${base}\n${Redacted.value(key)}`),
      label,
      rateLimit: own ?? rateLimit
    })),
    (one, other) => one.name === other.name
  )
  const names = Array.map(addresses, ({ name }) => name).toSorted()
  const name = addresses.length === 1 ? addresses[0].name : fingerprint(names.join("\n"))
  return {
    url,
    base,
    name,
    addresses,
    neverKept: Array.dedupeWith([...addresses.map(({ apiKey }) => apiKey), ...neverKept], sameSecret)
  }
}

const sameSecret = Redacted.getEquivalence(Equivalence.string)

/** What the value of a header cannot hold. */
const noHeader = /[^\t\x20-\x7e\x80-\xff]/
