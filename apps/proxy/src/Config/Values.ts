/**
 * The values of settings: how each kind is written, and what it is then. The description of a kind is what a problem
 * says was expected.
 */
import * as Operations from "@blockquarry/core/operations/index"
import { normalise } from "@blockquarry/http/BaseUrl"
import type { RateLimit } from "@blockquarry/http/RateLimit"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Net from "node:net"
import { addresses } from "../Addresses.ts"
import type { AddressName } from "./Config.ts"
import { isRecord } from "./Path.ts"
import * as Units from "./Units.ts"

/** Text that stays as it is. */
const word = (expected: string, isOne: (text: string) => boolean | string) =>
  Schema.String.pipe(Schema.filter(isOne)).annotations({ description: expected })

/** What is written in one way and worked with in another. */
const spelled = <Written, A>(
  expected: string,
  written: Schema.Schema<Written>,
  value: Schema.Schema<A>,
  read: (written: Written) => Option.Option<A>,
  write: (value: A) => Written
) =>
  Schema.transformOrFail(written, value, {
    strict: true,
    decode: (from, _, ast) => Either.fromOption(read(from), () => new ParseResult.Type(ast, from)),
    encode: (to) => ParseResult.succeed(write(to))
  }).annotations({ description: expected })

const whole = (expected: string, least: number, most: number) =>
  Schema.Number.pipe(
    Schema.filter((value) => Number.isInteger(value) && value >= least && value <= most)
  ).annotations({ description: expected })

export const Flag = Schema.Boolean.annotations({ description: "true or false" })

export const Port = whole("a port from 0 (any free one) to 65535", 0, 65_535)

/** How many of something. */
export const Count = whole("a whole number from 1", 1, Number.MAX_SAFE_INTEGER)

export const CountOrNone = whole("a whole number from 0", 0, Number.MAX_SAFE_INTEGER)

const hostName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i

export const Host = word(
  "a host name or an IP address, without brackets and port",
  (text) => hostName.test(text) || Net.isIP(text) !== 0
)

/** A name as it stands in `Host`. */
export const HostName = spelled(
  "a host name without a port, as in quarry.internal",
  Schema.String,
  Schema.String,
  (text) => hostName.test(text) ? Option.some(text.toLowerCase()) : Option.none(),
  (name) => name
)

export const Network = word(
  "an IP address or a network, as in 10.0.0.0/8",
  (text) => {
    const [, address = "", bits] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
    const family = Net.isIP(address)
    return family !== 0 && (bits === undefined || Number(bits) <= (family === 4 ? 32 : 128))
  }
)

/** No timer waits longer. */
const longest = 24 * 86_400_000

const duration = (expected: string, least: number, most: number) =>
  spelled<string, Duration.Duration>(
    expected,
    Schema.String,
    Schema.DurationFromSelf,
    (text) =>
      Option.map(
        Option.filter(Units.readMillis(text), (millis) => millis >= least && millis <= most),
        Duration.millis
      ),
    (value) => Units.writeMillis(Duration.toMillis(value))
  )

export const Time = duration("a time as in 500ms, 5s, 2m, 1h or 1d, of at most 24d", 0, longest)

export const PositiveTime = duration(
  "a time as in 500ms, 5s, 2m, 1h or 1d, more than nothing and at most 24d",
  1,
  longest
)

/** A call is given up after 45 seconds: whoever waits longer has hung up. */
export const Patience = duration("a time as in 500ms or 2s, of at most 60s", 0, 60_000)

export const Size = spelled<string | number, number>(
  "a size as in 64MiB, 16KiB or 1MB, or a number of bytes",
  Schema.Union(Schema.String, Schema.Number),
  Schema.Number,
  (written) => Option.filter(Units.readSize(written), (bytes) => bytes > 0),
  Units.writeSize
)

const limitExpected = "units per time as in 100/s or 25/10s, or none"

/** How much a key of the service may be asked. */
export const KeyLimit = spelled<string, RateLimit>(
  limitExpected,
  Schema.String,
  Schema.declare((value): value is RateLimit => isRecord(value) && "maxQueue" in value),
  Units.readLimit,
  Units.writeLimit
)

/** How much a client may ask; null: as much as there is. */
export const ClientLimit = spelled<string, { readonly limit: number; readonly window: number } | null>(
  limitExpected,
  Schema.String,
  Schema.NullOr(Schema.Struct({ limit: Schema.Number, window: Schema.Number })),
  (text) =>
    Option.map(
      Units.readLimit(text),
      ({ limit, window }) =>
        limit === Number.POSITIVE_INFINITY ? null : { limit, window: Duration.toMillis(window) }
    ),
  (value) => value === null ? "none" : Units.writeLimit(value)
)

export const PerDay = spelled<string | number, number | null>(
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

export const Name = word(nameExpected, isName)

/** Counts have names of their own for those who are no clients. */
const taken: ReadonlyMap<string, string> = new Map([
  ["open", "the name open is taken: it stands for everybody where there are no clients"],
  ["nobody", "the name nobody is taken: it stands for those who were not recognised"]
])

export const ClientName = word(nameExpected, (text) => taken.get(text) ?? isName(text))

const isHash = (text: string) => /^sha256:[0-9a-f]{64}$/i.test(text)

/** Never the token itself. */
export const TokenHash = spelled(
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

const operationIds = Operations.all.map(({ id }) => id)

export const Scope: Schema.Schema<string> = oneOf(
  `reads, changes or the name of an operation, such as ${operationIds[0]}`,
  "reads",
  "changes",
  ...operationIds
)

/** Where an API is. It stays as it is written but for its slash and the prefix of the API. */
export const address = (name: AddressName) =>
  Schema.transformOrFail(Schema.String, Schema.String, {
    strict: true,
    decode: (text, _, ast) =>
      Either.mapLeft(
        normalise(addresses[name].api, text),
        (problem) => new ParseResult.Type(ast, text, problem)
      ),
    encode: (url) => ParseResult.succeed(url)
  }).annotations({ description: "an address as in https://host/path" })

/** Where a secret is: in a file, or in a variable. It is never written into the document itself. */
export type Reference = typeof Reference.Type

export const Reference = Schema.Struct({
  file: Schema.optionalWith(
    // A secret that was put here by mistake hardly looks like this, so it is not repeated as the name of a file.
    word("a path that begins with /, ./ or ../", (text) => /^\.{0,2}\/[\P{Cc}]*[^/\p{Cc}]$/u.test(text)),
    { exact: true }
  ),
  env: Schema.optionalWith(
    word("the name of a variable, in capitals", (text) => /^[A-Z_][A-Z0-9_]*$/.test(text)),
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
export const redisProblem = (text: string): string | undefined => {
  if (!URL.canParse(text)) return "expected an address as in redis://host:6379"
  const { hash, hostname, protocol, search } = new URL(text)
  if (protocol !== "redis:" && protocol !== "rediss:") return "expected redis:// or rediss://"
  if (hostname === "") return "the host is missing; write it as redis://host:6379"
  return search !== "" || hash !== "" ? "the address must end before ? and #" : undefined
}

/** In the open only where it holds no password. */
export const RedisUrl = Schema.Union(
  word(
    "redis://host:6379, or { file: /run/secrets/name } or { env: NAME } where it holds a password",
    (text) => {
      const problem = redisProblem(text)
      if (problem !== undefined) return problem
      const { password, username } = new URL(text)
      return password === "" && username === "" ||
        "it holds a password: put the address in a file or a variable and write { file: /run/secrets/name } or { env: NAME }"
    }
  ),
  Reference
)

export const KeyPrefix = word(
  "at most 64 visible characters without spaces",
  (text) => /^[\x21-\x7e]{0,64}$/.test(text)
)
