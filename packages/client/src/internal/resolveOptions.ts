/**
 * Checks the options of this package, and translates them to those of `@blockquarry/http`, whose layers check the values
 * that are `Unknown` here, and whose defaults complete them.
 */
import type { ApiKey, ApiOptions } from "@blockquarry/http/ApiOptions"
import * as LayerCallOptions from "@blockquarry/http/CallOptions"
import * as BaseUrl from "@blockquarry/http/gateway/BaseUrl"
import { option, optionIssues, required } from "@blockquarry/http/gateway/Options"
import type { ListCallOptions } from "@blockquarry/http/Pagination"
import * as Pagination from "@blockquarry/http/Pagination"
import * as RetryPolicy from "@blockquarry/http/RetryPolicy"
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { ConfigurationError } from "../Errors.ts"
import type { CallOptions, ClientOptions, Fetch, LabeledApiKey, ListOptions } from "../Options.ts"

/** Requires a schema of every option. */
type OptionSchemas<Options> = { readonly [Name in keyof Options]-?: Schema.Schema.AnyNoContext }

const signal = option(
  "an AbortSignal",
  (value): value is AbortSignal => Predicate.hasProperty(value, "addEventListener")
)

const callOptions = {
  ...LayerCallOptions.schema.fields,
  retry: RetryPolicy.schema,
  apiKey: option("a string", (value): value is string => typeof value === "string"),
  signal
} satisfies OptionSchemas<CallOptions>
const listOptions = { ...callOptions, ...Pagination.schema.fields } satisfies OptionSchemas<ListOptions>

export const callSchema = Schema.Struct(callOptions)

export const listSchema = Schema.Struct(listOptions)

const clientSchema = required(Schema.Struct(
  {
    apiKey: Schema.Unknown,
    baseUrl: Schema.Unknown,
    baseUrls: Schema.Struct({ data: Schema.Unknown, streams: Schema.Unknown, ledger: Schema.Unknown }),
    timeouts: Schema.Unknown,
    retry: Schema.Unknown,
    rateLimit: Schema.Unknown,
    breaker: Schema.Unknown,
    concurrency: Schema.Unknown,
    cache: Schema.Unknown,
    maxBodySize: Schema.Unknown,
    arrayFormat: Schema.Unknown,
    decoding: Schema.Unknown,
    onResponse: Schema.Unknown,
    userAgent: Schema.Unknown,
    weightHeader: Schema.Unknown,
    fetch: option("a function", (value): value is Fetch => Predicate.isFunction(value)),
    signal
  } satisfies OptionSchemas<ClientOptions>
))

/** The APIs, each with its own base URL. */
const apis = ["data", "streams", "ledger"] as const

export type Api = typeof apis[number]

interface ResolvedOptions {
  /** The APIs that have a base URL. */
  readonly apis: Arr.NonEmptyReadonlyArray<Api>
  /** Undefined only for the ledger API alone. */
  readonly apiKey: ApiOptions["apiKey"] | undefined
  readonly baseUrls: { readonly [A in Api]?: string }
  /** The policies, and the other options of `@blockquarry/http`. */
  readonly shared: Omit<ApiOptions, "apiKey" | "baseUrl">
}

/** Throws a `ConfigurationError` for options that the layers cannot check, or would describe in terms of Effect. */
export const resolveOptions = (options: ClientOptions): ResolvedOptions => {
  const issues = optionIssues(clientSchema, options)
    .map(({ path, reason }) => ({ option: path.join("."), reason }))
  if (!Predicate.isObject(options)) throw new ConfigurationError(issues)
  const { apiKey, baseUrl, baseUrls, fetch: _, signal: __, ...others } = options
  const reject = (option: string, reason: string) => void issues.push({ option, reason })
  const urls: { [A in Api]?: string } = {}
  for (const api of apis) {
    const url = baseUrls?.[api] ?? baseUrl
    if (url === undefined) continue
    const option = baseUrls?.[api] === undefined ? "baseUrl" : `baseUrls.${api}`
    Either.match(BaseUrl.normalize(api, url), {
      onLeft: (reason) => reject(option, reason),
      onRight: () => void (urls[api] = String(url))
    })
  }
  const configured = apis.filter((api) => (baseUrls?.[api] ?? baseUrl) !== undefined)
  const apiKeyReason = invalidApiKey(
    apiKey,
    configured.length === 0 || configured.some((api) => api !== "ledger")
  )
  if (apiKeyReason !== null) reject("apiKey", apiKeyReason)
  if (!Arr.isNonEmptyReadonlyArray(configured)) {
    const reason = "missing or undefined; pass the URL of the API, as in https://host/path"
    throw new ConfigurationError([...issues, { option: "baseUrl", reason }])
  }
  throwIfAny(issues)
  return {
    apis: configured,
    apiKey: typeof apiKey === "string" ? Redacted.make(apiKey) : apiKey?.map(toApiKey),
    baseUrls: urls,
    shared: others
  }
}

/** Throws a `ConfigurationError` if there is an issue. The layers of all APIs report the same ones. */
export const throwIfAny = (issues: ConfigurationError["issues"]): void => {
  const unique = new Map(issues.map((issue) => [`${issue.option}\n${issue.reason}`, issue]))
  if (unique.size > 0) throw new ConfigurationError([...unique.values()])
}

/** Translates the options of a call. */
export const toCallOptions = (options: ListOptions = {}): ListCallOptions => {
  const { apiKey, signal: _, ...others } = options
  return apiKey === undefined ? others : { ...others, apiKey: Redacted.make(apiKey) }
}

const invalidApiKey = (apiKey: unknown, isRequired: boolean): string | null => {
  if (apiKey === undefined) {
    return isRequired ? "missing or undefined; pass your API key, a string" : null
  }
  const isValid = typeof apiKey === "string" ||
    (Array.isArray(apiKey) &&
      apiKey.every((one) => Predicate.hasProperty(one, "key") && typeof one.key === "string"))
  return isValid ? null : "expected a string, or a list of objects with label and key"
}

const toApiKey = ({ key, ...others }: LabeledApiKey): ApiKey => ({ ...others, key: Redacted.make(key) })
