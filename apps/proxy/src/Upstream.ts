/** The service behind the proxy: a canonical request in, the service's own answer out. */
import type { WireRequest } from "@blockquarry/core/Wire"
import type { Answer } from "@blockquarry/http/Answer"
import { Engine } from "@blockquarry/http/Engine"
import * as Names from "@blockquarry/http/Settings"
import * as Target from "@blockquarry/http/Target"
import { judge } from "@blockquarry/http/Verdict"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import { type AddressSetting, apis, type Service } from "./Config.ts"
import * as Failure from "./Failure.ts"
import type { AnyOperation } from "./Router.ts"

export class Upstream extends Context.Tag("@blockquarry/proxy/Upstream")<Upstream, {
  readonly ask: (
    operation: AnyOperation,
    request: WireRequest,
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
            { apiKey: service.apiKey, baseUrl: service.addresses[setting], maxBodySize },
            setting
          ))
      )
      return Upstream.of({
        ask: (operation, request, address) => {
          if (service.addresses[address] === undefined) return Effect.fail(addressNotSet(address))
          return engine.raw(operation, request, targets[address]).pipe(
            Effect.mapError(Failure.fromQueryError),
            Effect.flatMap((answer) => passable(operation, request, answer, service.apiKey))
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
  operation: AnyOperation,
  request: WireRequest,
  answer: Answer,
  apiKey: Redacted.Redacted | undefined
): Effect.Effect<Answer, Failure.Failure> =>
  Effect.flatMap(
    answer.status === 200 ? Effect.succeed(undefined) : refusal(operation, request, answer, apiKey),
    (failure) => {
      if (failure !== undefined) return Effect.fail(failure)
      return apiKey !== undefined && quotes(answer, Redacted.value(apiKey))
        ? Effect.fail(withheld(answer.status))
        : Effect.succeed(answer)
    }
  )

/** Why an answer other than 200 is not passed on, if so. */
const refusal = (
  operation: AnyOperation,
  request: WireRequest,
  answer: Answer,
  apiKey: Redacted.Redacted | undefined
): Effect.Effect<Failure.Failure | undefined> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const copy = { method: request.method, path: request.path }
    const verdict = judge(operation, copy, answer, now, apiKey ?? Redacted.make(""))
    if (verdict._tag === "Whole") return undefined
    switch (verdict.error._tag) {
      case "KeyRefused":
      case "PlanExhausted":
      case "ResponseInvalid":
        return Failure.fromQueryError(verdict.error)
      case "ServiceFailed":
        return answer.status < 400 ? Failure.fromQueryError(verdict.error) : undefined
      default:
        return undefined
    }
  })

/** Whether an answer repeats the key; a key so short that it may stand in any text is not looked for. */
const quotes = ({ bytes, headers }: Answer, key: string): boolean =>
  key.length >= 8 &&
  (Buffer.from(bytes).includes(key) || Object.values(headers).some((value) => value.includes(key)))

const withheld = (status: number): Failure.Failure =>
  Failure.make(
    "service-failed",
    `the service answered ${status} and quoted the proxy's key, so its answer is withheld`
  )
