/** The service behind the proxy: a canonical request in, the service's own answer out. */
import type { WireRequest } from "@blockquarry/core/Wire"
import type { Answer } from "@blockquarry/http/Answer"
import { Engine } from "@blockquarry/http/Engine"
import * as Target from "@blockquarry/http/Target"
import { judge } from "@blockquarry/http/Verdict"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { type AddressSetting, addressSetting, addressSettings, type Network, type Service } from "./Config.ts"
import * as Failure from "./Failure.ts"
import type { AnyOperation } from "./Router.ts"

export class Upstream extends Context.Tag("@blockquarry/proxy/Upstream")<Upstream, {
  readonly ask: (
    operation: AnyOperation,
    request: WireRequest,
    network: Network
  ) => Effect.Effect<Answer, Failure.Failure>
  /** Which settings are there. */
  readonly configured: { readonly [S in AddressSetting | "QUARRY_API_KEY"]: boolean }
}>() {}

/** Asks through the engine, so that retries, budgets and time limits are those of every other client. */
export const layer = (service: Service): Layer.Layer<Upstream, never, Engine | HttpClient.HttpClient> =>
  Layer.effect(
    Upstream,
    Effect.gen(function*() {
      const engine = yield* Engine
      const targetOf = (setting: AddressSetting) =>
        Target.make(
          addressSettings[setting],
          { apiKey: service.apiKey, baseUrl: service.addresses[setting] },
          setting
        )
      const targets = yield* Effect.all({
        QUARRY_BASE_URL: targetOf("QUARRY_BASE_URL"),
        QUARRY_STREAMS_URL: targetOf("QUARRY_STREAMS_URL"),
        QUARRY_LEDGER_URL: targetOf("QUARRY_LEDGER_URL"),
        QUARRY_LEDGER_TESTNET_URL: targetOf("QUARRY_LEDGER_TESTNET_URL")
      })
      return Upstream.of({
        ask: (operation, request, network) => {
          const setting = addressSetting(operation.api, network)
          if (service.addresses[setting] === undefined) return Effect.fail(addressNotSet(setting))
          return engine.raw(operation, request, targets[setting]).pipe(
            Effect.mapError(Failure.fromQueryError),
            Effect.flatMap((answer) => passable(operation, request, answer, service.apiKey))
          )
        },
        configured: {
          QUARRY_API_KEY: service.apiKey !== undefined,
          QUARRY_BASE_URL: service.addresses.QUARRY_BASE_URL !== undefined,
          QUARRY_STREAMS_URL: service.addresses.QUARRY_STREAMS_URL !== undefined,
          QUARRY_LEDGER_URL: service.addresses.QUARRY_LEDGER_URL !== undefined,
          QUARRY_LEDGER_TESTNET_URL: service.addresses.QUARRY_LEDGER_TESTNET_URL !== undefined
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
): Effect.Effect<Answer, Failure.Failure> => {
  if (answer.status === 200) return Effect.succeed(answer)
  return Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const copy = { method: request.method, path: request.path }
    const verdict = judge(operation, copy, answer, now, apiKey ?? Redacted.make(""))
    if (verdict._tag === "Whole") return Effect.succeed(answer)
    switch (verdict.error._tag) {
      case "KeyRefused":
      case "PlanExhausted":
      case "ResponseInvalid":
        return Effect.fail(Failure.fromQueryError(verdict.error))
      default:
        if (answer.status < 400) return Effect.fail(Failure.fromQueryError(verdict.error))
        return apiKey !== undefined && quotes(answer, Redacted.value(apiKey))
          ? Effect.fail(withheld(answer.status))
          : Effect.succeed(answer)
    }
  })
}

/** Whether an answer repeats the key; a key so short that it may stand in any text is not looked for. */
const quotes = ({ bytes, headers }: Answer, key: string): boolean =>
  key.length >= 8 &&
  (Buffer.from(bytes).includes(key) || Object.values(headers).some((value) => value.includes(key)))

const withheld = (status: number): Failure.Failure =>
  Failure.make(
    "service-failed",
    `the service answered ${status} and quoted the proxy's key, so its answer is withheld`
  )
