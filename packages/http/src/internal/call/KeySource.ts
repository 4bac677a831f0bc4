/** API keys that an effect reads: when a layer is built, after a TTL, and after the upstream has rejected them. */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import * as Fiber from "effect/Fiber"
import { constFalse, identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import { type ApiKey, type ApiKeys, defaultLabel, type OptionalKeyApiOptions } from "../../ApiOptions.ts"
import { apiKeyError } from "../../gateway/Options.ts"
import * as SteadyClock from "../../gateway/SteadyClock.ts"
import { validateOptions } from "./ValidateOptions.ts"

export type KeyList = Arr.NonEmptyReadonlyArray<ApiKey>

/** The key of upstreams without an API key. */
export const noApiKey = Redacted.make("")

/** Returns the API keys that an option states. Without any, the list has an empty one. */
export const keysOf = (apiKeys: ApiKeys | undefined): Effect.Effect<KeyList, ConfigError.ConfigError> => {
  const keys = apiKeys === undefined || Redacted.isRedacted(apiKeys)
    ? [{ label: defaultLabel, key: apiKeys ?? noApiKey }]
    : apiKeys
  if (!Arr.isNonEmptyReadonlyArray(keys)) {
    return Effect.fail(ConfigError.InvalidData(["apiKey"], "expected at least one API key"))
  }
  for (const { key, label } of keys) {
    const reason = key === noApiKey ? null : apiKeyError(key)
    const path = ["apiKey", ...keys.length === 1 ? [] : [label]]
    if (reason !== null) return Effect.fail(ConfigError.InvalidData(path, reason))
  }
  return Effect.succeed(keys)
}

const defaultTtl = Duration.minutes(5)

const readTimeout = Duration.seconds(10)

/** How long there is no other read after one in vain. */
const pauseMillis = 5000

/** Number of replaced keys that still count as secrets. */
const maxReplaced = 16

interface Reader {
  readonly read: Effect.Effect<KeyList, ConfigError.ConfigError>
  readonly ttlMillis: number
  readonly clock: SteadyClock.SteadyClock
  readonly runtime: Runtime.Runtime<never>
}

/** API keys that change. As an effect it returns those of now: several upstreams may have the same source as their option. */
export class KeySource extends Effectable.Class<KeyList> {
  /** Another array for other keys. */
  keys: KeyList
  /** Keys that others have replaced, the last ones first. */
  replaced: ReadonlyArray<Redacted.Redacted> = []
  private readonly reader: Reader
  private reading: Fiber.RuntimeFiber<void> | null = null
  private readAgainAt: number
  /** By the error of the upstream: a 403 in vain, whose cause may be the operation, prevents no read after a 401. */
  private readonly pausedUntil = new Map<string, number>()

  constructor(keys: KeyList, reader: Reader) {
    super()
    this.keys = keys
    this.reader = reader
    this.readAgainAt = this.now() + reader.ttlMillis
  }

  commit() {
    return Effect.sync(() => this.keys)
  }

  /** Starts to read the keys again if their TTL has passed. Calls go on with those of now in the meantime. */
  refresh(scope: Scope.Scope): void {
    if (this.reading === null && this.now() >= this.readAgainAt) this.startReading(scope)
  }

  /**
   * Reads the keys again after the upstream has rejected them with an error, unless others have replaced them already. Returns
   * whether others have, after `timeoutMillis` at the latest.
   */
  renew(rejected: KeyList, error: string, scope: Scope.Scope, timeoutMillis: number): Effect.Effect<boolean> {
    const isOver = () =>
      this.keys !== rejected || this.now() < (this.pausedUntil.get(error) ?? Number.NEGATIVE_INFINITY)
    const read = Effect.suspend(() =>
      isOver() ? Effect.void : Fiber.await(this.reading ?? this.startReading(scope))
    )
    // A read that began before the rejection may return what the upstream has rejected since.
    const earlier = Effect.suspend(() => this.reading === null ? Effect.void : Fiber.await(this.reading))
    return Effect.suspend(() => isOver() ? Effect.void : Effect.zipRight(earlier, read)).pipe(
      Effect.map(() => {
        if (!isOver()) this.pausedUntil.set(error, this.now() + pauseMillis)
        return this.keys !== rejected
      }),
      Effect.timeoutTo({ duration: timeoutMillis, onSuccess: identity, onTimeout: constFalse })
    )
  }

  private now(): number {
    return this.reader.clock.unsafeCurrentTimeMillis()
  }

  private startReading(scope: Scope.Scope): Fiber.RuntimeFiber<void> {
    // Nothing is sent between reading keys and replacing those of now.
    const replacing = Effect.flatMap(this.reader.read, (keys) => Effect.suspend(() => this.replace(keys)))
    const reading = Effect.catchAll(withTimeout(replacing), (error) => {
      this.readAgainAt = this.now() + pauseMillis
      return Effect.logWarning(`the API key stays in use, because reading it failed: ${error.message}`)
    })
    const fiber = Runtime.runFork(this.reader.runtime)(reading, { scope })
    this.reading = fiber
    fiber.addObserver(() => {
      this.reading = null
    })
    return fiber
  }

  private replace(keys: KeyList): Effect.Effect<void> {
    this.readAgainAt = this.now() + this.reader.ttlMillis
    if (identityOf(keys) === identityOf(this.keys)) return Effect.void
    this.replaced = [...this.keys.map(({ key }) => key), ...this.replaced].slice(0, maxReplaced)
    this.keys = keys
    this.pausedUntil.clear()
    return Effect.logInfo("API key replaced")
  }
}

/** Reads API keys for the first time. Fails if that fails, or if they are invalid. */
export const make = (
  apiKey: Effect.Effect<ApiKeys | undefined, unknown>,
  ttl: OptionalKeyApiOptions["apiKeyTtl"]
): Effect.Effect<KeySource, ConfigError.ConfigError> => {
  const read = Effect.catchAllCause(apiKey, (cause) => Effect.fail(readError(Cause.squash(cause)))).pipe(
    Effect.tap((apiKey) => validateOptions({ apiKey, baseUrl: "" })),
    Effect.flatMap(keysOf)
  )
  const ttlMillis = Duration.toMillis(Option.getOrElse(Duration.decodeUnknown(ttl), () => defaultTtl))
  return Effect.zipWith(
    Effect.all([SteadyClock.current, Effect.runtime<never>()]),
    withTimeout(read),
    ([clock, runtime], keys) => new KeySource(keys, { read, ttlMillis, clock, runtime })
  )
}

const withTimeout = <A>(read: Effect.Effect<A, ConfigError.ConfigError>) =>
  Effect.timeoutFail(read, { duration: readTimeout, onTimeout: () => unavailable("no result within 10 s") })

/** Shows only the name of the error of a program, whose message may contain what was read. */
const readError = (error: unknown): ConfigError.ConfigError => {
  if (ConfigError.isConfigError(error)) return error
  const name = Predicate.hasProperty(error, "_tag")
    ? error._tag
    : error instanceof Error
    ? error.name
    : typeof error
  return unavailable(`reading it failed with ${String(name)}`)
}

const unavailable = (reason: string) => ConfigError.SourceUnavailable(["apiKey"], reason, Cause.empty)

const identityOf = (keys: KeyList): string =>
  JSON.stringify(keys.map(({ key, ...others }) => [Redacted.value(key), others]))
