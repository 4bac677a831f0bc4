/** Validates the options of a layer when it is built. */
import * as Arr from "effect/Array"
import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { ApiKey, OptionalKeyApiOptions } from "../../ApiOptions.ts"
import { DecodingOption, ObserverOption } from "../../CallOptions.ts"
import * as CircuitBreaker from "../../CircuitBreaker.ts"
import * as ConcurrencyLimit from "../../ConcurrencyLimit.ts"
import {
  oneOf,
  option,
  type OptionIssue,
  optionIssues,
  Positive,
  PositiveDuration,
  required,
  Secret,
  Text
} from "../../gateway/Options.ts"
import * as RateLimit from "../../RateLimit.ts"
import * as ResponseCache from "../../ResponseCache.ts"
import * as RetryPolicy from "../../RetryPolicy.ts"
import * as Timeouts from "../../Timeouts.ts"

type OptionSchemas<Options> = { readonly [Name in keyof Options]-?: Schema.Schema.AnyNoContext }

const layerSchema = Schema.Struct(
  {
    // `apiKeySchema` validates the members of a list.
    apiKey: Schema.Union(
      Secret,
      Schema.Array(Schema.Unknown),
      // `KeySource` validates what it reads.
      option("an effect", (value): value is Effect.Effect<unknown> => Effect.isEffect(value))
    ),
    apiKeyTtl: PositiveDuration,
    // `BaseUrl` validates it.
    baseUrl: Schema.Unknown,
    cache: ResponseCache.schema,
    timeouts: Timeouts.schema,
    retry: RetryPolicy.optionSchema,
    rateLimit: RateLimit.schema,
    breaker: CircuitBreaker.schema,
    concurrency: ConcurrencyLimit.schema,
    maxBodySize: Positive,
    arrayFormat: oneOf("brackets", "indices", "repeat", "comma"),
    decoding: DecodingOption,
    onResponse: ObserverOption,
    uncacheable: option(
      "a list of Redacted.make(\"…\")",
      (value): value is ReadonlyArray<Redacted.Redacted> =>
        Arr.isArray(value) && value.every(Redacted.isRedacted)
    ),
    weightHeader: Schema.NullOr(option(
      "a header name such as \"x-request-weight\"",
      (value): value is string => typeof value === "string" && /^[\w-]{1,64}$/.test(value)
    )),
    userAgent: option(
      "visible ASCII characters and spaces",
      (value): value is string =>
        typeof value === "string" && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
    )
  } satisfies OptionSchemas<OptionalKeyApiOptions>
)

const apiKeySchema = Schema.Struct(
  {
    label: required(Text),
    key: required(Secret),
    rateLimit: RateLimit.schema
  } satisfies OptionSchemas<ApiKey>
)

/** Fails with every invalid option of a layer, each under its path, as in `rateLimit.limit`. */
export const validateOptions = (
  options: OptionalKeyApiOptions
): Effect.Effect<void, ConfigError.ConfigError> => {
  const issues = [
    ...optionIssues(layerSchema, options),
    ...Arr.isArray(options.apiKey) ? options.apiKey.flatMap(apiKeyIssues) : []
  ].map(({ path, reason }) => ConfigError.InvalidData([...path], reason))
  const [first, ...rest] = issues
  return first === undefined ? Effect.void : Effect.fail(rest.reduce(ConfigError.And, first))
}

/** Returns the issues of an API key in a list. The path has its label, or its index if it has none. */
const apiKeyIssues = (apiKey: unknown, index: number): ReadonlyArray<OptionIssue> =>
  optionIssues(apiKeySchema, apiKey, [
    "apiKey",
    Predicate.hasProperty(apiKey, "label") && typeof apiKey.label === "string" ? apiKey.label : String(index)
  ])
