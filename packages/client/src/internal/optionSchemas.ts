/** Schemas of options. The layers of `@blockquarry/http` check the values that are `Unknown`. */
import * as LayerCallOptions from "@blockquarry/http/CallOptions"
import { option } from "@blockquarry/http/OptionIssues"
import * as Pagination from "@blockquarry/http/Pagination"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { CallOptions, ClientOptions, Fetch, ListOptions } from "../Options.ts"

/** Requires a schema of every option. */
type OptionSchemas<Options> = { readonly [Name in keyof Options]-?: Schema.Schema.AnyNoContext }

const signal = option(
  "an AbortSignal",
  (value): value is AbortSignal => Predicate.hasProperty(value, "addEventListener")
)

const callOptions = { ...LayerCallOptions.schema.fields, signal } satisfies OptionSchemas<CallOptions>
const listOptions = { ...callOptions, ...Pagination.schema.fields } satisfies OptionSchemas<ListOptions>

export const callSchema = Schema.Struct(callOptions)

export const listSchema = Schema.Struct(listOptions)

export const clientSchema = Schema.Struct(
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
    userAgent: Schema.Unknown,
    fetch: option("a function", (value): value is Fetch => Predicate.isFunction(value)),
    signal
  } satisfies OptionSchemas<ClientOptions>
)
