/**
 * The values of settings: how each kind is written, and what it is then. The description of a kind is what a problem
 * says was expected.
 */
import * as Operations from "@blockquarry/core/Operations"
import { BaseUrl } from "@blockquarry/http/Gateway"
import type { RateLimit } from "@blockquarry/http/RateLimit"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Net from "node:net"
import { baseUrlSettings } from "./BaseUrls.ts"
import type { UpstreamName } from "./Config.ts"
import { isRecord } from "./ConfigPath.ts"
import * as ValueFormats from "./ValueFormats.ts"

/** Text that stays as it is. */
const textSchema = (expected: string, isOne: (text: string) => boolean | string) =>
  Schema.String.pipe(Schema.filter(isOne)).annotations({ description: expected })

/** What is written in one way and worked with in another. */
const transformed = <Encoded, A>(
  expected: string,
  written: Schema.Schema<Encoded>,
  value: Schema.Schema<A>,
  read: (written: Encoded) => Option.Option<A>,
  write: (value: A) => Encoded
) =>
  Schema.transformOrFail(written, value, {
    strict: true,
    decode: (from, _, ast) => Either.fromOption(read(from), () => new ParseResult.Type(ast, from)),
    encode: (to) => ParseResult.succeed(write(to))
  }).annotations({ description: expected })

const integerBetween = (expected: string, least: number, most: number) =>
  Schema.Number.pipe(
    Schema.filter((value) => Number.isInteger(value) && value >= least && value <= most)
  ).annotations({ description: expected })

export const BooleanValue = Schema.Boolean.annotations({ description: "true or false" })

export const Port = integerBetween("a port from 0 (any free one) to 65535", 0, 65_535)

/** How many of something. */
export const PositiveInteger = integerBetween("a whole number from 1", 1, Number.MAX_SAFE_INTEGER)

export const NonNegativeInteger = integerBetween("a whole number from 0", 0, Number.MAX_SAFE_INTEGER)

const hostName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i

export const Host = textSchema(
  "a host name or an IP address, without brackets and port",
  (text) => hostName.test(text) || Net.isIP(text) !== 0
)

/** A name as it stands in `Host`. */
export const HostName = transformed(
  "a host name without a port, as in quarry.internal",
  Schema.String,
  Schema.String,
  (text) => hostName.test(text) ? Option.some(text.toLowerCase()) : Option.none(),
  (name) => name
)

export const IpOrCidr = textSchema(
  "an IP address or a network, as in 10.0.0.0/8",
  (text) => {
    const [, address = "", bits] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
    const family = Net.isIP(address)
    return family !== 0 && (bits === undefined || Number(bits) <= (family === 4 ? 32 : 128))
  }
)

/** No timer waits longer. */
const maxTimerMs = 24 * 86_400_000

const duration = (expected: string, least: number, most: number) =>
  transformed<string, Duration.Duration>(
    expected,
    Schema.String,
    Schema.DurationFromSelf,
    (text) =>
      Option.map(
        Option.filter(ValueFormats.parseMillis(text), (millis) => millis >= least && millis <= most),
        Duration.millis
      ),
    (value) => ValueFormats.formatMillis(Duration.toMillis(value))
  )

export const DurationValue = duration("a time as in 500ms, 5s, 2m, 1h or 1d, of at most 24d", 0, maxTimerMs)

export const PositiveDuration = duration(
  "a time as in 500ms, 5s, 2m, 1h or 1d, more than nothing and at most 24d",
  1,
  maxTimerMs
)

/** A call is given up after 45 seconds: whoever waits longer has hung up. */
export const QueueWait = duration("a time as in 500ms or 2s, of at most 60s", 0, 60_000)

export const ByteSize = transformed<string | number, number>(
  "a size as in 64MiB, 16KiB or 1MB, or a number of bytes",
  Schema.Union(Schema.String, Schema.Number),
  Schema.Number,
  (written) => Option.filter(ValueFormats.parseSize(written), (bytes) => bytes > 0),
  ValueFormats.formatSize
)

const rateLimitExpected = "units per time as in 100/s or 25/10s, or none"

/** How much a key of the service may be asked. */
export const KeyRateLimit = transformed<string, RateLimit>(
  rateLimitExpected,
  Schema.String,
  Schema.declare((value): value is RateLimit => isRecord(value) && "maxQueue" in value),
  ValueFormats.parseRateLimit,
  ValueFormats.formatRateLimit
)

/** How much a client may ask; null: as much as there is. */
export const ClientRateLimit = transformed<
  string,
  { readonly limit: number; readonly window: number } | null
>(
  rateLimitExpected,
  Schema.String,
  Schema.NullOr(Schema.Struct({ limit: Schema.Number, window: Schema.Number })),
  (text) =>
    Option.map(
      ValueFormats.parseRateLimit(text),
      ({ limit, window }) =>
        limit === Number.POSITIVE_INFINITY ? null : { limit, window: Duration.toMillis(window) }
    ),
  (value) => value === null ? "none" : ValueFormats.formatRateLimit(value)
)

export const DailyQuotaValue = transformed<string | number, number | null>(
  "a whole number of units from 1, or none",
  Schema.Union(Schema.String, Schema.Number),
  Schema.NullOr(Schema.Number),
  (written) =>
    written === "none"
      ? Option.some(null)
      : typeof written === "number" && Number.isSafeInteger(written) && written > 0
      ? Option.some(written)
      : Option.none(),
  (value) => value ?? "none"
)

const nameExpected = "a name of at most 64 letters, digits, dots, dashes and underscores"

const isName = (text: string) => /^[A-Za-z0-9._-]{1,64}$/.test(text)

export const ResourceName = textSchema(nameExpected, isName)

/** Counts have names of their own for those who are no clients. */
const reservedNames: ReadonlyMap<string, string> = new Map([
  ["open", "the name open is taken: it stands for everybody where there are no clients"],
  ["nobody", "the name nobody is taken: it stands for those who were not recognised"]
])

export const ClientName = textSchema(nameExpected, (text) => reservedNames.get(text) ?? isName(text))

const isHash = (text: string) => /^sha256:[0-9a-f]{64}$/i.test(text)

/** Never the token itself. */
export const TokenHash = transformed(
  "the hash of a token: sha256: and 64 hexadecimal digits, as quarry-proxy token prints it",
  Schema.String,
  Schema.String,
  (text) => isHash(text) ? Option.some(text.toLowerCase()) : Option.none(),
  (hash) => hash
)

/** One of a few words. */
export const oneOf = <const Words extends readonly [string, ...ReadonlyArray<string>]>(
  expected: string,
  ...words: Words
) => Schema.Literal(...words).annotations({ description: expected })

const operationIds = Operations.allOperations.map(({ id }) => id)

export const ClientScope: Schema.Schema<string> = oneOf(
  `read, write or the name of an operation, such as ${operationIds[0]}`,
  "read",
  "write",
  ...operationIds
)

/** Where an API is. It stays as it is written but for its slash and the prefix of the API. */
export const baseUrl = (name: UpstreamName) =>
  Schema.transformOrFail(Schema.String, Schema.String, {
    strict: true,
    decode: (text, _, ast) =>
      Either.mapLeft(
        BaseUrl.normalize(baseUrlSettings[name].api, text),
        (problem) => new ParseResult.Type(ast, text, problem)
      ),
    encode: (url) => ParseResult.succeed(url)
  }).annotations({ description: "an address as in https://host/path" })

/** Where a secret is: in a file, or in a variable. It is never written into the document itself. */
export type SecretReference = typeof SecretReference.Type

export const SecretReference = Schema.Struct({
  file: Schema.optionalWith(
    // A secret that was put here by mistake hardly looks like this, so it is not repeated as the name of a file.
    textSchema(
      "a path that begins with /, ./ or ../",
      (text) => /^\.{0,2}\/[\P{Cc}]*[^/\p{Cc}]$/u.test(text)
    ),
    { exact: true }
  ),
  env: Schema.optionalWith(
    textSchema("the name of a variable, in capitals", (text) => /^[A-Z_][A-Z0-9_]*$/.test(text)),
    { exact: true }
  )
}).annotations({
  title: "{ file: /run/secrets/name } or { env: NAME }; the secret itself is never written here"
}).pipe(
  Schema.filter(
    (reference) => Object.keys(reference).length === 1 || "expected either file or env, and one of both"
  )
)

/** What is wrong with an address of Redis, without any of it. */
export const redisUrlError = (text: string): string | undefined => {
  if (!URL.canParse(text)) return "expected an address as in redis://host:6379"
  const { hash, hostname, protocol, search } = new URL(text)
  if (protocol !== "redis:" && protocol !== "rediss:") return "expected redis:// or rediss://"
  if (hostname === "") return "the host is missing; write it as redis://host:6379"
  return search !== "" || hash !== "" ? "the address must end before ? and #" : undefined
}

/** In the open only where it holds no password. */
export const RedisUrl = Schema.Union(
  textSchema(
    "redis://host:6379, or { file: /run/secrets/name } or { env: NAME } where it holds a password",
    (text) => {
      const problem = redisUrlError(text)
      if (problem !== undefined) return problem
      const { password, username } = new URL(text)
      return password === "" && username === "" ||
        "it holds a password: put the address in a file or a variable and write { file: /run/secrets/name } or { env: NAME }"
    }
  ),
  SecretReference
)

export const KeyPrefix = textSchema(
  "at most 64 visible characters without spaces",
  (text) => /^[\x21-\x7e]{0,64}$/.test(text)
)
