/** The service behind the proxy: a question in, the service's own answer out. */
import { repeatsAny, saysAny } from "@blockquarry/http/Answer"
import type { ApiKey } from "@blockquarry/http/ApiKey"
import type { Policies } from "@blockquarry/http/ApiOptions"
import type { Entry } from "@blockquarry/http/CacheStore"
import type { EngineService } from "@blockquarry/http/Engine"
import * as Override from "@blockquarry/http/Override"
import * as Receipt from "@blockquarry/http/Receipt"
import type { Served } from "@blockquarry/http/Served"
import * as Target from "@blockquarry/http/Target"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Equivalence from "effect/Equivalence"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import { addresses } from "./Addresses.ts"
import type { Wish } from "./Answers/CacheControl.ts"
import type { AddressName } from "./Config/Config.ts"
import * as Failure from "./Failure.ts"
import type { Question } from "./Question.ts"

/** The service behind the proxy, as far as it is known. */
export interface Service {
  readonly addresses: { readonly [A in AddressName]: string | undefined }
  readonly keys: { readonly [A in AddressName]: ReadonlyArray<ApiKey> }
}

/** An answer, and where it comes from. */
export type Given = Omit<Served, "verdict">

/** A kept answer that is fresh. */
export const fromEntry = ({ answer, freshUntil, storedAt }: Entry): Given => ({
  answer,
  source: "cache",
  storedAt,
  freshUntil,
  collapsed: false
})

export interface Upstream {
  readonly service: Service
  /** A wish for a kept answer alone fails where there is none. */
  readonly ask: (
    question: Question,
    wish: Wish,
    receipt: Receipt.Receipt
  ) => Effect.Effect<Given, Failure.Failure>
  /** A kept answer that is fresh, where answers are kept in this process. */
  readonly kept: (question: Question, now: number) => Entry | undefined
  /** Counts a kept answer that is given. */
  readonly given: (question: Question) => void
  /** Forgets the answer to a question; false where that could not be done. */
  readonly forget: (question: Question) => Effect.Effect<boolean>
  /** Whether a text, which may be JSON, says one of the proxy's keys. */
  readonly saysKey: (text: string) => boolean
  /** Where questions for an address go; a left says why they cannot. */
  readonly target: (address: AddressName) => Either.Either<Target.Target, Failure.Failure>
}

export type Options = Pick<Policies, "cache"> & {
  readonly service: Service
  /** Bytes of the longest answer that is read. */
  readonly maxBodySize: number
}

/** Asks through the engine, so that retries, budgets and time limits are those of every other client. */
export const make = (
  engine: EngineService,
  { cache, maxBodySize, service }: Options
): Effect.Effect<Upstream, never, HttpClient.HttpClient> => {
  const keys = keysOf(service)
  const saysKey = (text: string) => saysAny(text, keys)
  return Effect.map(
    Effect.all(Record.map(service.addresses, (baseUrl, name) =>
      Target.make(
        addresses[name].api,
        { apiKey: service.keys[name], baseUrl, cache, maxBodySize, neverKept: keys },
        addresses[name].setting
      ))),
    (targets): Upstream => {
      const asks = new Map<string, ReturnType<EngineService["raw"]>>()
      /** Made once for an operation at an address: with it goes what was read of kept answers. */
      const raw = ({ address, operation }: Question) => {
        const name = `${address} ${operation.id}`
        const before = asks.get(name)
        if (before !== undefined) return before
        const made = engine.raw(operation, targets[address])
        asks.set(name, made)
        return made
      }
      return {
        service,
        saysKey,
        ask: (question, wish, receipt) => {
          const { address, input, operation, request } = question
          if (service.addresses[address] === undefined) return Effect.fail(addressNotSet(address))
          return wish === "only-if-cached"
            ? Effect.flatMap(
              engine.find(operation, targets[address])(request),
              (entry) => entry === null ? Effect.fail(Failure.notKept) : Effect.succeed(fromEntry(entry))
            )
            : raw(question)(input, request).pipe(
              Override.effect({ cacheMode: wish }),
              Receipt.effect(receipt),
              Effect.mapError(Failure.fromQueryError),
              Effect.flatMap(passable),
              Effect.mapError((failure) => saysKey(failure.message) ? withoutWords(failure) : failure),
              Effect.filterOrFail(
                // What says a key is never kept.
                ({ answer, source }) => source !== "service" || !repeatsAny(answer, keys),
                ({ answer }) => withheld(answer.status)
              )
            )
        },
        kept: ({ address, operation, request }, now) =>
          engine.kept(operation, targets[address])(request, now),
        given: ({ operation }) => engine.given(operation),
        forget: ({ address, operation, request }) => engine.forget(operation, targets[address])(request),
        target: (address) =>
          service.addresses[address] === undefined
            ? Either.left(addressNotSet(address))
            : Either.right(targets[address])
      }
    }
  )
}

/** Those of all addresses, each value once. */
const keysOf = ({ keys }: Service): ReadonlyArray<Redacted.Redacted> =>
  Array.dedupeWith(
    Object.values(keys).flat().map(({ key }) => key),
    Redacted.getEquivalence(Equivalence.string)
  )

const addressNotSet = (name: AddressName): Failure.Failure =>
  Failure.make(
    "address-not-set",
    `the proxy has no address for this path: set upstream.addresses.${name} or ${
      addresses[name].setting
    } where it runs`
  )

/**
 * Answers are passed on as they came, failures of the service too, but for those that speak of the proxy's own keys
 * and those that are no answer to the question: a redirect, or a success other than 200. What an answer means is
 * the engine's verdict.
 */
const passable = (served: Served): Either.Either<Given, Failure.Failure> => {
  const failure = served.answer.status === 200 ? undefined : refusal(served)
  return failure === undefined ? Either.right(served) : Either.left(failure)
}

/** Why an answer other than 200 is not passed on, if so. */
const refusal = ({ answer, verdict }: Served): Failure.Failure | undefined => {
  const meaning = verdict()
  if (meaning._tag === "Whole") return undefined
  switch (meaning.error._tag) {
    case "KeyRefused":
    case "PlanExhausted":
    case "ResponseInvalid":
      return Failure.fromQueryError(meaning.error)
    case "ServiceFailed":
      return answer.status < 400 ? Failure.fromQueryError(meaning.error) : undefined
    default:
      return undefined
  }
}

const withheld = (status: number): Failure.Failure =>
  Failure.make(
    "service-failed",
    `the service answered ${status} and quoted the proxy's key, so its answer is withheld`
  )

/** A failure whose words are the service's, and have a key in them. */
export const withoutWords = ({ code, headers }: Failure.Failure): Failure.Failure =>
  Failure.make(code, "the service failed and quoted the proxy's key, so its words are withheld", headers)
