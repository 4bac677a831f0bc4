/** Schemas of configuration values. Error messages contain their descriptions: "expected a duration such as …". */
import { Chain } from "@blockquarry/core/Chain"
import * as Operations from "@blockquarry/core/Operations"
import { baseUrlSettings, type UpstreamName, upstreamNames } from "@blockquarry/core/Upstreams"
import * as BaseUrl from "@blockquarry/http/gateway/BaseUrl"
import * as RateLimit from "@blockquarry/http/RateLimit"
import { parse as parseRedisUrl } from "@blockquarry/redis/RedisUrl"
import { isDay } from "@blockquarry/redis/UsageStore"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Net from "node:net"
import * as References from "./References.ts"
import * as Formats from "./ValueFormats.ts"

/** A string that is not transformed. `isValid` may return an error message. */
const text = (description: string, isValid: (text: string) => boolean | string) =>
  Schema.String.pipe(Schema.filter(isValid)).annotations({ description })

const pattern = (description: string, regex: RegExp, base: Schema.Schema<string> = Schema.String) =>
  base.pipe(Schema.pattern(regex)).annotations({ description })

/** A path of a file, which is absolute when it is decoded, or a URL. */
const resolved = (schema: Schema.Schema<string>) =>
  Schema.transformOrFail(schema, Schema.String, {
    strict: true,
    decode: (file) => Effect.map(References.References, ({ resolve }) => resolve(file)),
    encode: ParseResult.succeed
  }).annotations(schema.ast.annotations)

/** A value with a different encoding in the file. */
const transformed = <Written, A>(
  description: string,
  [written, value]: readonly [Schema.Schema<Written>, Schema.Schema<A>],
  parse: (written: Written) => Option.Option<A>,
  format: (value: A) => Written
) =>
  Schema.transformOrFail(written, value, {
    strict: true,
    decode: (from, _, ast) => Either.fromOption(parse(from), () => new ParseResult.Type(ast, from)),
    encode: (to) => ParseResult.succeed(format(to))
  }).annotations({ description })

const integer = (description: string, min: number, max = Number.MAX_SAFE_INTEGER) =>
  Schema.Int.pipe(Schema.between(min, max)).annotations({ description })

export const Flag = Schema.Boolean.annotations({ description: "true or false" })
export const Port = integer("a port from 0 (any free port) to 65535", 0, 65_535)
export const PositiveInteger = integer("an integer of at least 1", 1)
export const NonNegativeInteger = integer("an integer of at least 0", 0)
export const RetentionDays = integer("a number of days from 1 to 400", 1, 400)
export const BillingDay = integer("a day from 1 to 28", 1, 28)
export const Share = Schema.Number.pipe(Schema.greaterThan(0), Schema.lessThanOrEqualTo(1))
  .annotations({ description: "a number above 0 and at most 1, such as 0.25" })

const hostName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i

export const Host = text(
  "a host name or an IP address, without brackets and port",
  (text) => hostName.test(text) || Net.isIP(text) !== 0
)

export const HostNames = Schema.Array(
  pattern("a host name without a port, such as quarry.internal", hostName, Schema.Lowercase)
)

const IpOrCidr = text("an IP address or a CIDR range, such as 10.0.0.0/8", (text) => {
  const [, address = "", bits = "0"] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  return Net.isIP(address) !== 0 && Number(bits) <= (Net.isIPv4(address) ? 32 : 128)
})

export const Cidrs = Schema.Array(IpOrCidr)

const duration = (examples: string, min: number, max: number) => {
  const isInRange = (millis: number) => millis >= min && millis <= max
  return transformed(
    `a duration such as ${examples}`,
    [Schema.String, Schema.DurationFromSelf],
    (text) => Option.map(Option.filter(Formats.parseMillis(text), isInRange), Duration.millis),
    (value) => Formats.formatMillis(Duration.toMillis(value))
  )
}

/** Timers of Node.js have a maximum of about 24.8 days. */
const maxTimer = 24 * 86_400_000

export const Timeout = duration("500ms, 5s, 2m, 1h or 1d, of at most 24d", 0, maxTimer)
export const PositiveTimeout = duration("500ms, 5s, 2m, 1h or 1d, of 1ms to 24d", 1, maxTimer)
export const CacheTtl = Schema.Union(Schema.transformLiteral("none", null), PositiveTimeout)
  .annotations({ description: "a duration such as 30s or 5m, or none" })
/** Calls time out after 45 s, so clients do not wait much longer. */
export const QueueWait = duration("500ms or 2s, of at most 60s", 0, 60_000)

export const Size = transformed<string | number, number>(
  "a size such as 64MiB, 16KiB or 1MB, or a number of bytes",
  [Schema.Union(Schema.String, Schema.Number), Schema.Number],
  (written) => Option.filter(Formats.parseSize(written), (bytes) => bytes > 0),
  Formats.formatSize
)

const rate = "units per time such as 100/s or 25/10s, or none"

export const KeyRate = transformed<string, RateLimit.RateLimit>(
  rate,
  [Schema.String, RateLimit.schema],
  Formats.parseRate,
  Formats.formatRate
)

/** The rate limit of a client: units per window of milliseconds, or null. */
export const ClientRate = transformed<string, { readonly limit: number; readonly window: number } | null>(
  rate,
  [Schema.String, Schema.NullOr(Schema.Struct({ limit: Schema.Number, window: Schema.Number }))],
  (text) =>
    Option.map(
      Formats.parseRate(text),
      ({ limit, window }) => limit === Infinity ? null : { limit, window: Duration.toMillis(window) }
    ),
  (value) => Formats.formatRate(value ?? { limit: Infinity, window: 0 })
)

export const DailyQuota = Schema.Union(Schema.transformLiteral("none", null), PositiveInteger)
  .annotations({ description: "an integer of at least 1, or none" })

const Limits = Schema.Struct({
  soft: Schema.optionalWith(PositiveInteger, { exact: true }),
  hard: Schema.optionalWith(PositiveInteger, { exact: true })
}).pipe(
  Schema.filter(({ hard, soft }) => {
    if (hard === undefined && soft === undefined) return "set soft, hard or both"
    return (soft ?? 0) < (hard ?? Infinity) || "soft must be below hard"
  })
)

/** A number rejects, as `hard` does. */
export const PeriodQuota = Schema.Union(Schema.transformLiteral("none", null), PositiveInteger, Limits)
  .annotations({
    description: "an integer of at least 1, { soft: 80000, hard: 100000 }, { soft: 80000 }, or none"
  })

const PricedItems = Schema.Struct({
  parameter: pattern("a parameter such as limit", /^[\w.-]{1,64}(\[\])?$/),
  maxItems: integer("the highest number of items of a request, at least 1, as in maxItems: 100", 1)
})

const Costs = Schema.Struct({
  /** What is billed, and what quotas count. */
  price: NonNegativeInteger,
  /** What rate limits count. */
  rateCost: NonNegativeInteger,
  /** What has the price. Default: as the operation says, or the request. */
  per: Schema.optional(PricedItems)
})

/** The costs of a request, in units. */
export type Cost = typeof Costs.Type

/** Null if the cost table has the costs. */
export const Cost = transformed<number | "table" | Cost, Cost | null>(
  "a price in units, { price: 50, rateCost: 5 }, the same with per: { parameter: limit, maxItems: 100 }, or table",
  [Schema.Union(NonNegativeInteger, Schema.Literal("table"), Costs), Schema.NullOr(Costs)],
  (written) => {
    if (written === "table") return Option.some(null)
    return Option.some(typeof written === "number" ? { price: written, rateCost: written } : written)
  },
  (cost) =>
    cost === null ? "table" : cost.per === undefined && cost.price === cost.rateCost ? cost.price : cost
)

export const WeightHeader = Schema.Union(
  Schema.transformLiteral("none", null),
  pattern("a header name", /^[\w-]{1,64}$/, Schema.Lowercase)
).annotations({ description: "a header name such as x-request-weight, or none" })

export const nameDescription = "a name of at most 64 letters, digits, dots, dashes and underscores"
export const Name = pattern(nameDescription, /^[A-Za-z0-9._-]{1,64}$/)

/** Names under which metrics count requests without a client. */
const reservedNames: ReadonlyMap<string, string> = new Map([
  ["anonymous", "the name anonymous is reserved for requests without authentication"],
  ["unauthenticated", "the name unauthenticated is reserved for requests that failed authentication"]
])

export const ClientName = text(nameDescription, (text) => reservedNames.get(text) ?? Schema.is(Name)(text))

const oneOf = <const Words extends readonly [string, ...ReadonlyArray<string>]>(
  description: string,
  ...words: Words
) => Schema.Literal(...words).annotations({ description })

const isShortText = (text: string): boolean => text !== "" && text.length <= 256

export const Text = text("a text of at most 256 characters", isShortText)

const Token = Schema.Struct({
  written: Schema.String,
  hash: Schema.String,
  name: Schema.UndefinedOr(Schema.String),
  /** In milliseconds since 1970. */
  from: Schema.Number,
  until: Schema.Number
}).pipe(Schema.filter(({ from, until }) => from < until || "both times must be valid, and from before until"))

const time = String.raw`(\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?Z)?)`
const tokenPattern = new RegExp(
  `^(sha256:[0-9a-f]{64})(?: (?!from |until )([\\w.@-]{1,64}))?(?: from ${time})?(?: until ${time})?$`,
  "i"
)

/** Not a number for a day that its month does not have. */
const timeOf = (text: string): number => isDay(text.slice(0, 10)) ? Date.parse(text.toUpperCase()) : NaN

/** Hashes of tokens, never the tokens. */
export const Tokens = Schema.Array(transformed<string, typeof Token.Type>(
  "a token hash: sha256: and 64 hexadecimal digits, as printed by quarry-proxy token, with or without a name, from 2026-11-01 and " +
    "until 2027-01-31T12:00Z",
  [Schema.String, Token],
  (written) => {
    const [, hash, name, from = "0000-01-01", until = "9999-12-31"] = tokenPattern.exec(written) ?? []
    const times = { from: timeOf(from), until: timeOf(until) }
    return hash === undefined
      ? Option.none()
      : Option.some({ written, hash: hash.toLowerCase(), name, ...times })
  },
  ({ written }) => written
))

export const Algorithms = Schema.Array(
  oneOf(
    "an algorithm with a public key: RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512 or EdDSA",
    ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"] as const
  )
).pipe(Schema.minItems(1))

export const ClockSkew = duration("30s, of at most 5m", 0, 300_000)

export const JwksSource = resolved(text(
  "the HTTPS URL of a key set without credentials (http:// for a loopback address), or a path that begins with /, ./ or ../",
  (source) =>
    /^(?:https:\/\/[^@]+|http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])[:/][^@]+|\.{0,2}\/\P{Cc}+)$/u.test(
      source
    ) &&
    URL.canParse(source, "file:///")
))

export const Texts = Schema.Array(Text)

export const Chains = Schema.Array(text(
  "a chain name or a hexadecimal chain ID, in quotes",
  (text) => Either.isRight(Schema.decodeUnknownEither(Chain)(text))
))
export const Addresses = Schema.Array(pattern("an address, in quotes", /^0x[0-9a-f]{40}$/, Schema.Lowercase))

export const ParameterNames = Schema.Array(pattern("the name of a parameter", /^[\w.[\]-]{1,64}$/))

export const ClientNames = Schema.Array(Name)

const operationIds = Operations.allOperations.map(({ id }) => id)

/** Labels of metrics are operations and rules together. */
export const RuleName = text(
  nameDescription,
  (text) =>
    text === "other" || operationIds.includes(text)
      ? `${text} is the name of an operation, or of requests without a rule`
      : Schema.is(Name)(text)
)

export const PathPattern = text(
  "a path such as /api/v2.2/wallets/:address/net-worth, or with * as its last segment",
  (text) => /^(?:\/(?:[\w.~@-]+|:\w+))*\/(?:[\w.~@-]+|:\w+|\*)$/.test(text) && !/\/\.{1,2}(?:\/|$)/.test(text)
)

/** Browsers send the origin of a page in this form. */
const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text

export const Origins = Schema.Array(
  text("an origin such as https://app.example.com, in lower case and without a path", isOrigin)
)

export const AdminOpen = oneOf("none, metrics or all", "none", "metrics", "all")
export const Method = oneOf("GET, POST, PUT, PATCH or DELETE", "GET", "POST", "PUT", "PATCH", "DELETE")
export const Validation = oneOf("lenient or strict", "lenient", "strict")
export const PassThroughDefault = oneOf("reads or off", "reads", "off")
export const ClientNoCache = oneOf("obey or ignore", "obey", "ignore")
export const QuotaMode = oneOf("enforce or shadow", "enforce", "shadow")
export const WhenUnavailable = oneOf("share, open or closed", "share", "open", "closed")
export const LogLevel = oneOf("debug, info, warning or error", "debug", "info", "warning", "error")

const scope = `read, write, passthrough or the name of an operation, such as ${operationIds[0]}`
const Scope: Schema.Schema<string> = oneOf(scope, "read", "write", "passthrough", ...operationIds)
export const Scopes = Schema.Array(Scope)

export const Upstream = oneOf("data, streams, ledger or ledgerTestnet", ...upstreamNames)
export const Upstreams = Schema.Array(Upstream).pipe(
  Schema.filter((names) => names.length > 0 || "empty list; omit upstreams to use the key for all of them")
)

/** A base URL with the path prefix of its API, without a trailing slash. */
export const baseUrl = (name: UpstreamName) =>
  Schema.transformOrFail(Schema.String, Schema.String, {
    strict: true,
    decode: (text, _, ast) =>
      Either.mapLeft(
        BaseUrl.normalize(baseUrlSettings[name].api, text),
        (problem) => new ParseResult.Type(ast, text, problem)
      ),
    encode: ParseResult.succeed
  }).annotations({ description: "a URL such as https://host/path" })

// A secret that was put here by mistake hardly looks like a path, so messages never quote it as one.
const FilePath = pattern("a path that begins with /, ./ or ../", /^\.{0,2}\/[\P{Cc}]*[^/\p{Cc}]$/u)

export const ResolvedPath = resolved(FilePath)

const VariableName = pattern("the name of an environment variable, in upper case", /^[A-Z_][A-Z0-9_]*$/)

const reference = "{ file: /run/secrets/name } or { env: NAME }"

/** Where a secret is: in a file or in an environment variable, never in the configuration itself. */
export type SecretReference = typeof SecretReference.Type

export const SecretReference = Schema.Struct({
  file: Schema.optionalWith(FilePath, { exact: true }),
  env: Schema.optionalWith(VariableName, { exact: true })
}).pipe(Schema.filter((reference) => Object.keys(reference).length === 1 || "expected either file or env"))

/** Where the secrets were read from. */
const written = new WeakMap<Redacted.Redacted, SecretReference>()

/** Unlike the schema of Effect, keeps the object, by which the reference is found. */
const RedactedText = Schema.declare((value): value is Redacted.Redacted => Redacted.isRedacted(value))

/** `check` fails with what is wrong with a secret, without any part of it. */
const secret = (check: (text: string) => Either.Either<unknown, string>, isPrivate = true) =>
  Schema.transformOrFail(SecretReference, RedactedText, {
    strict: true,
    decode: (reference, _, ast) => {
      const parse = (text: string) => Either.map(check(text), () => Redacted.make(text))
      const remember = (secret: Redacted.Redacted) => written.set(secret, reference)
      return Effect.tap(References.read(ast, reference, parse, isPrivate), remember)
    },
    encode: (secret) => ParseResult.succeed(written.get(secret) ?? {})
  }).annotations({ description: `${reference}, never the secret itself` })

const oneLine = (text: string): Either.Either<string, string> =>
  /^[\x21-\x7e]+$/.test(text)
    ? Either.right(text)
    : Either.left("expected one line of visible ASCII characters without spaces")

/** The search for API keys in responses cannot tell a shorter one from unrelated text. */
const minKeyLength = 16

export const ApiKey = secret((text) =>
  Either.filterOrLeft(
    oneLine(text),
    (text) => text.length >= minKeyLength,
    ({ length }) =>
      `expected an API key of at least ${minKeyLength} characters, got ${length}; check that it is complete`
  )
)

export const Password = secret(oneLine)

/** Tools write the names of issuers and others before each part. */
const pem = (isPrivate: boolean) =>
  secret(
    (text) =>
      /^-----BEGIN /m.test(text) ? Either.right(text) : Either.left("expected PEM, with a line -----BEGIN …"),
    isPrivate
  )

export const Certificate = pem(false)

export const PrivateKey = pem(true)

/** A URL that contains a password must be a secret. */
export const RedisUrl = Schema.Union(
  secret((text) => Either.flatMap(oneLine(text), parseRedisUrl)),
  Schema.Redacted(Schema.String.pipe(Schema.filter((text) => {
    const parsed = parseRedisUrl(text)
    if (Either.isLeft(parsed)) return parsed.left
    return (parsed.right.password ?? parsed.right.username) === undefined ||
      `the URL contains a password: put it in a file or a variable and write ${reference}`
  })))
).annotations({
  description:
    `redis://host:6379, redis+sentinel://host:26379/NAME, or ${reference} if the URL contains a password`
})

export const KeyPrefix = pattern("at most 64 visible ASCII characters without spaces", /^[\x21-\x7e]{0,64}$/)
