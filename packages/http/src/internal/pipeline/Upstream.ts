/**
 * Targets: where an API's requests go, with which keys, under which policies.
 *
 * @since 0.1.0
 */
import { type ApiName, pathPrefix } from "@blockquarry/core/Operation"
import { AuthenticationError, InvalidInputError } from "@blockquarry/core/OperationError"
import type { ArrayFormat } from "@blockquarry/core/RequestEncoding"
import { shortDigest } from "@blockquarry/core/ShortDigest"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Equivalence from "effect/Equivalence"
import * as Function from "effect/Function"
import * as Redacted from "effect/Redacted"
import { type ApiKey, defaultLabel } from "../../ApiKey.ts"
import { type ApiOptions, defaults, type Policies } from "../../ApiOptions.ts"
import type { RateLimit } from "../../RateLimit.ts"
import * as Settings from "../../Settings.ts"
import { normalize } from "../transport/BaseUrl.ts"
import * as Transport from "../transport/Transport.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Upstream {
  /** Where and with which keys; a left is the failure of every call that needs what is missing. */
  readonly keyPool: Either.Either<KeyPool, (operation: string) => InvalidInputError | AuthenticationError>
  readonly transport: Transport.Transport
  readonly policies: Policies
  readonly arrayFormat: ArrayFormat
}

/**
 * One base address with all keys that may be used there.
 *
 * @since 0.1.0
 * @category models
 */
export interface KeyPool {
  /** Without a trailing slash, the API's prefix included. */
  readonly apiUrl: string
  /** The same without the prefix. */
  readonly baseUrl: string
  /** Stands for these keys at this base, and does not tell them. */
  readonly id: string
  readonly keys: Array.NonEmptyReadonlyArray<PooledKey>
  /** What no kept answer may say: these keys and `ApiOptions.neverKept`, each value once. */
  readonly uncacheable: ReadonlyArray<Redacted.Redacted>
}

/**
 * A base address with one key.
 *
 * @since 0.1.0
 * @category models
 */
export interface PooledKey {
  /** Without a trailing slash, the API's prefix included. */
  readonly apiUrl: string
  /** The same without the prefix: what limits, pauses and breakers are counted for. */
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted
  /** Stands for this key at this base, and does not tell the key. */
  readonly id: string
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
  api: ApiName,
  options: ApiOptions,
  settingName: string
): Effect.Effect<Upstream, never, HttpClient.HttpClient> =>
  Effect.map(HttpClient.HttpClient, (client) => ({
    keyPool: resolve(api, options, settingName),
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
    arrayFormat: options.arrayFormat ?? "brackets"
  }))

const resolve = (api: ApiName, options: ApiOptions, settingName: string): Upstream["keyPool"] => {
  const invalid = (parameter: string, reason: string) =>
    Either.left((operation: string) => new InvalidInputError({ operation, issues: [{ parameter, reason }] }))
  if (options.baseUrl === undefined || options.baseUrl === "") {
    return invalid(settingName, "no address of the service is set; set this to its base URL")
  }
  const normalizedUrl = normalize(api, options.baseUrl)
  if (Either.isLeft(normalizedUrl)) return invalid(settingName, normalizedUrl.left)
  const apiKeys = apiKeysOf(options)
  if (!Array.isNonEmptyReadonlyArray(apiKeys)) {
    return Either.left((operation) =>
      new AuthenticationError({ operation, request: null, status: null, serverMessage: null, body: "" })
    )
  }
  for (const { key, label } of apiKeys) {
    const keyName = apiKeys.length === 1 ? "the key" : `the key ${JSON.stringify(label)}`
    if (Redacted.value(key) === "") {
      return invalid(Settings.apiKey, `${keyName} is empty; set it or leave it out`)
    }
    // Clients of HTTP refuse such a key, and look as if the network had failed.
    if (invalidHeaderCharacter.test(Redacted.value(key))) {
      return invalid(
        Settings.apiKey,
        `${keyName} holds characters that no header can carry, such as a line break`
      )
    }
  }
  return Either.right(keyPoolOf(api, normalizedUrl.right, apiKeys, options))
}

/** The keys that are set: an empty one that comes alone is none. */
const apiKeysOf = ({ apiKey }: ApiOptions): ReadonlyArray<ApiKey> => {
  if (!Redacted.isRedacted(apiKey)) return apiKey ?? []
  return Redacted.value(apiKey) === "" ? [] : [{ label: defaultLabel, key: apiKey }]
}

const keyPoolOf = (
  api: ApiName,
  apiUrl: string,
  apiKeys: Array.NonEmptyReadonlyArray<ApiKey>,
  { uncacheable = [], rateLimit = defaults.rateLimit }: ApiOptions
): KeyPool => {
  const baseUrl = apiUrl.slice(0, apiUrl.length - pathPrefix[api].length)
  const keys = Array.dedupeWith(
    Array.map(apiKeys, ({ key, label, rateLimit: keyRateLimit }): PooledKey => ({
      apiUrl,
      baseUrl,
      apiKey: key,
      id: shortDigest(`${baseUrl}\n${Redacted.value(key)}`),
      label,
      rateLimit: keyRateLimit ?? rateLimit
    })),
    (one, other) => one.id === other.id
  )
  const ids = Array.map(keys, ({ id }) => id).toSorted()
  const id = keys.length === 1 ? keys[0].id : shortDigest(ids.join("\n"))
  return {
    apiUrl,
    baseUrl,
    id,
    keys,
    uncacheable: Array.dedupeWith([...keys.map(({ apiKey }) => apiKey), ...uncacheable], sameSecret)
  }
}

const sameSecret = Redacted.getEquivalence(Equivalence.string)

/** What the value of a header cannot hold. */
const invalidHeaderCharacter = /[^\t\x20-\x7e\x80-\xff]/
