/** The service behind the proxy: a canonical request in, the service's own answer out. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import { type Answer, repeatsKey } from "@blockquarry/http/Answer"
import { Engine } from "@blockquarry/http/Engine"
import type { Served } from "@blockquarry/http/Served"
import * as Names from "@blockquarry/http/Settings"
import * as Target from "@blockquarry/http/Target"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import type * as Redacted from "effect/Redacted"
import { type AddressSetting, apis, type Service } from "./Config.ts"
import * as Failure from "./Failure.ts"
import type { Rewritten } from "./Rewrite.ts"

export class Upstream extends Context.Tag("@blockquarry/proxy/Upstream")<Upstream, {
  readonly ask: (
    operation: AnyOperation,
    question: Rewritten,
    address: AddressSetting
  ) => Effect.Effect<Answer, Failure.Failure>
  /** Which settings are there. */
  readonly configured: { readonly [S in AddressSetting | typeof Names.apiKey]: boolean }
}>() {}

/** Requests are answered side by side, each from memory, so an answer may be a quarter of what the library reads. */
const maxBodySize = 16 * 1024 * 1024

/** Asks through the engine, so that retries, budgets and time limits are those of every other client. */
export const layer = (service: Service): Layer.Layer<Upstream, never, Engine | HttpClient.HttpClient> =>
  Layer.effect(
    Upstream,
    Effect.gen(function*() {
      const engine = yield* Engine
      const targets = yield* Effect.all(
        Record.map(apis, (api, setting) =>
          Target.make(
            api,
            {
              apiKey: service.apiKey,
              baseUrl: service.addresses[setting],
              rateLimit: service.rateLimit,
              maxBodySize
            },
            setting
          ))
      )
      return Upstream.of({
        ask: (operation, { input, request }, address) => {
          if (service.addresses[address] === undefined) return Effect.fail(addressNotSet(address))
          return engine.raw(operation, targets[address])(input, request).pipe(
            Effect.mapError(Failure.fromQueryError),
            Effect.flatMap((served) => passable(served, service.apiKey))
          )
        },
        configured: {
          [Names.apiKey]: service.apiKey !== undefined,
          ...Record.map(service.addresses, (address) => address !== undefined)
        }
      })
    })
  )

const addressNotSet = (setting: AddressSetting): Failure.Failure =>
  Failure.make("address-not-set", `the proxy has no address for this path: start it with ${setting} set`)

/**
 * Answers are passed on as they came, failures of the service too, but for those that speak of the proxy's own key
 * and those that are no answer to the question: a redirect, or a success other than 200. What an answer means is
 * the engine's verdict.
 */
const passable = (
  served: Served,
  apiKey: Redacted.Redacted | undefined
): Either.Either<Answer, Failure.Failure> => {
  const { answer } = served
  const failure = answer.status === 200 ? undefined : refusal(served)
  if (failure !== undefined) return Either.left(failure)
  return apiKey !== undefined && repeatsKey(answer, apiKey)
    ? Either.left(withheld(answer.status))
    : Either.right(answer)
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
