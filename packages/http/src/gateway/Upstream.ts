/**
 * Upstreams: where the requests of an API go, with which API keys, under which policies.
 *
 * Unstable: this module may change in any release.
 */
import { type ApiName, pathPrefix } from "@blockquarry/core/Operation"
import type { ArrayFormat } from "@blockquarry/core/RequestEncoding"
import { weightHeader } from "@blockquarry/core/RequestPrice"
import { shortDigest } from "@blockquarry/core/ShortDigest"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Arr from "effect/Array"
import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import {
  defaultLabel,
  defaults,
  type OptionalKeyApiOptions,
  type Policies,
  userAgent
} from "../ApiOptions.ts"
import type { Decoding, ResponseObserver } from "../CallOptions.ts"
import * as KeySource from "../internal/call/KeySource.ts"
import { validateOptions } from "../internal/call/ValidateOptions.ts"
import { getOrInsert } from "../internal/Maps.ts"
import { fromHttpClient } from "../internal/transport/HttpClientTransport.ts"
import * as Transport from "../internal/transport/Transport.ts"
import * as RateLimit from "../RateLimit.ts"
import { dayMillis, type QuotaAccount, RateLimitStore } from "../RateLimitStore.ts"
import * as ResponseCache from "../ResponseCache.ts"
import * as RetryPolicy from "../RetryPolicy.ts"
import { normalize } from "./BaseUrl.ts"
import * as LruMap from "./LruMap.ts"
import { override } from "./Options.ts"

/** The base URL, API keys and policies that the requests of an API use. */
export interface Upstream {
  /** The API keys, which never change; or if an effect reads them, those of now. */
  readonly keyPool: KeyPool
  /** Reads the API keys. Null if they are values. */
  readonly keySource: KeySource.KeySource | null
  readonly transport: Transport.Transport
  readonly policies: Policies
  readonly arrayFormat: ArrayFormat
  readonly decoding: Decoding
  readonly onResponse: ResponseObserver | null
  /** In lower case; null if responses have no price. */
  readonly weightHeader: string | null
}

/** The options or environment variables that set the API key and the base URL. */
export interface Settings {
  readonly apiKey: string
  readonly baseUrl: string
}

/** The settings of a program that passes both as options. */
export const optionSettings: Settings = { apiKey: "apiKey", baseUrl: "baseUrl" }

/** One base URL with all API keys that may be used there. */
export interface KeyPool {
  /** The base URL with the path prefix of the API, without a trailing slash. */
  readonly apiUrl: string
  /** The base URL without the path prefix. */
  readonly baseUrl: string
  /** The option or environment variable of the base URL, for errors. */
  readonly setting: string
  /** Identifies these keys at this base URL without revealing them. */
  readonly id: string
  readonly keys: Arr.NonEmptyReadonlyArray<PooledKey>
  /** Secrets that no cache entry may contain: these keys, those they replaced and `ApiOptions.uncacheable`, each once. */
  readonly uncacheable: ReadonlyArray<Redacted.Redacted>
  /** Names the tenant whose key it is, without revealing the key. Null for the keys of the layer. */
  readonly tenant: string | null
}

/** A base URL with one API key. Rate limits, cooldowns and circuit breakers are counted per `baseUrl`. */
export interface PooledKey extends Pick<KeyPool, "apiUrl" | "baseUrl"> {
  /** Empty if requests are sent without an API key. */
  readonly apiKey: Redacted.Redacted
  /** Identifies the key at this base URL without revealing it. */
  readonly id: string
  /** Identifies the key at all base URLs, for its daily quota. Without an API key, the same as `id`. */
  readonly quotaId: string
  /** The name of the key in logs and reports. */
  readonly label: string
  /** The option or environment variable of the key, for errors. */
  readonly setting: string
  /** The rate limit of the key, or that of the API. */
  readonly rateLimit: RateLimit.RateLimit
}

/**
 * Makes an upstream from options and the HttpClient in context. Fails with a `ConfigError` that names the option if the
 * base URL, an API key or a policy is invalid.
 */
export const make = (
  api: ApiName,
  options: OptionalKeyApiOptions,
  settings: Settings = optionSettings
): Effect.Effect<Upstream, ConfigError.ConfigError, HttpClient.HttpClient> =>
  Effect.gen(function*() {
    const client = yield* HttpClient.HttpClient
    yield* validateOptions(options)
    const apiUrl = yield* Either.mapLeft(
      normalize(api, options.baseUrl),
      (reason) => ConfigError.InvalidData(["baseUrl"], reason)
    )
    const { apiKey } = options
    const apiKeys = yield* Effect.isEffect(apiKey)
      ? apiKey instanceof KeySource.KeySource
        ? Effect.succeed(apiKey)
        : KeySource.make(apiKey, options.apiKeyTtl)
      : KeySource.keysOf(apiKey)
    const policies = {
      cache: options.cache === undefined ? defaults.cache : override(ResponseCache.standard, options.cache),
      timeouts: override(defaults.timeouts, options.timeouts),
      retry: RetryPolicy.override(defaults.retry, options.retry),
      rateLimit: options.rateLimit === undefined ? defaults.rateLimit : RateLimit.make(options.rateLimit),
      breaker: override(defaults.breaker, options.breaker),
      concurrency: override(defaults.concurrency, options.concurrency)
    }
    const transportOptions = {
      maxBodySize: options.maxBodySize ?? Transport.defaultMaxBodySize,
      userAgent: options.userAgent ?? userAgent
    }
    const dispatch = yield* Effect.serviceOption(Transport.DispatchTransport)
    const endpoint = { apiUrl, baseUrl: apiUrl.slice(0, apiUrl.length - pathPrefix[api].length) }
    const poolOf = (keys: KeySource.KeyList, replaced: ReadonlyArray<Redacted.Redacted> = []) =>
      keyPoolOf(endpoint, keys, policies.rateLimit, [...replaced, ...options.uncacheable ?? []], settings)
    const upstream = {
      // The transport of the layer that provides the client, if it has one
      transport: Option.isSome(dispatch) && dispatch.value.client === client
        ? dispatch.value.make(transportOptions)
        : fromHttpClient(client, transportOptions),
      policies,
      arrayFormat: options.arrayFormat ?? "brackets",
      decoding: options.decoding ?? "lenient",
      onResponse: options.onResponse ?? null,
      weightHeader:
        (options.weightHeader === undefined ? weightHeader : options.weightHeader)?.toLowerCase() ?? null
    }
    if (!(apiKeys instanceof KeySource.KeySource)) {
      return { ...upstream, keyPool: poolOf(apiKeys), keySource: null }
    }
    const pools = new WeakMap<KeySource.KeyList, KeyPool>()
    return {
      ...upstream,
      get keyPool() {
        return getOrInsert(pools, apiKeys.keys, (keys) => poolOf(keys, apiKeys.replaced))
      },
      keySource: apiKeys
    }
  })

/** The remaining units of an API key's daily quota. */
export interface DailyQuota {
  readonly label: string
  readonly limit: number
  readonly remaining: number
}

/** Returns the remaining daily quotas of an upstream's keys that have one. Empty if the store cannot tell within 1 s. */
export const dailyQuotas = (
  { keyPool }: Pick<Upstream, "keyPool">
): Effect.Effect<ReadonlyArray<DailyQuota>, never, RateLimitStore> => {
  const limited = keyPool.keys.flatMap((key) => {
    const account = quotaAccountOf(key)
    return account === null ? [] : [{ label: key.label, ...account }]
  })
  return Effect.flatMap(RateLimitStore, (store) => store.peek(limited, 1000)).pipe(
    Effect.map(
      Arr.zipWith(limited, ({ remaining }, { label, quota: { limit } }) => ({ label, limit, remaining }))
    ),
    Effect.catchAll(() => Effect.succeed([]))
  )
}

/** Returns the account of a key's daily quota in the store of rate limits. Null without a quota. */
export const quotaAccountOf = (
  { quotaId, rateLimit: { dailyQuota } }: Pick<PooledKey, "quotaId" | "rateLimit">
): QuotaAccount | null =>
  dailyQuota === null ? null : { id: quotaId, quota: { limit: dailyQuota, period: dayMillis } }

/** Returns the upstream of a tenant: the API key is that of the tenant. The same upstream for the same key. */
export const forTenant = (upstream: Upstream, apiKey: Redacted.Redacted): Upstream =>
  getOrInsert(
    getOrInsert(tenants, upstream, () => LruMap.make<Upstream>({ maxSize: maxTenants })),
    Redacted.value(apiKey),
    () => {
      const { keyPool, policies: { rateLimit } } = upstream
      const settings = { ...optionSettings, baseUrl: keyPool.setting }
      const keys: KeySource.KeyList = [{ label: defaultLabel, key: apiKey }]
      const pool = keyPoolOf(keyPool, keys, rateLimit, keyPool.uncacheable, settings)
      const tenant = `tenant ${pool.id}`
      return {
        ...upstream,
        keyPool: { ...pool, keys: [{ ...pool.keys[0], label: tenant }], tenant },
        keySource: null
      }
    }
  )

const tenants = /* @__PURE__ */ new WeakMap<Upstream, LruMap.LruMap<Upstream>>()

/** Number of tenants of an upstream that are prepared. */
const maxTenants = 1000

const keyPoolOf = (
  { apiUrl, baseUrl }: Pick<KeyPool, "apiUrl" | "baseUrl">,
  apiKeys: KeySource.KeyList,
  rateLimit: RateLimit.RateLimit,
  uncacheable: ReadonlyArray<Redacted.Redacted>,
  settings: Settings
): KeyPool => {
  const keys = Arr.dedupeWith(
    Arr.map(apiKeys, ({ key, label, rateLimit: keyRateLimit }): PooledKey => {
      const id = shortDigest(`${baseUrl}\n${Redacted.value(key)}`)
      return {
        apiUrl,
        baseUrl,
        apiKey: key,
        id,
        quotaId: key === KeySource.noApiKey ? id : shortDigest(Redacted.value(key)),
        label,
        setting: apiKeys.length === 1 ? settings.apiKey : `${settings.apiKey}.${label}`,
        rateLimit: keyRateLimit === undefined ? rateLimit : RateLimit.make(keyRateLimit)
      }
    }),
    (a, b) => a.id === b.id
  )
  const ids = Arr.map(keys, ({ id }) => id).toSorted()
  const id = keys.length === 1 ? keys[0].id : shortDigest(ids.join("\n"))
  return {
    apiUrl,
    baseUrl,
    id,
    keys,
    setting: settings.baseUrl,
    uncacheable: Arr.dedupeWith([...keys.map(({ apiKey }) => apiKey), ...uncacheable], sameSecret),
    tenant: null
  }
}

const sameSecret = (one: Redacted.Redacted, other: Redacted.Redacted): boolean =>
  Redacted.value(one) === Redacted.value(other)
