/**
 * What requests are answered with: everything that is made from the configuration, and swapped whole when that is read
 * again. What outlives it (the engine and its stores, the counts) is `Process`.
 */
import * as ResponseCache from "@blockquarry/http/ResponseCache"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Budgets from "./Budgets.ts"
import * as Clients from "./Clients.ts"
import type { Config } from "./Config/Config.ts"
import type { Process } from "./Process.ts"
import * as Questions from "./Questions.ts"
import * as Upstream from "./Upstream.ts"

export interface Instance {
  readonly config: Config
  readonly clients: Clients.Clients
  readonly budgets: Budgets.Budgets
  readonly upstream: Upstream.Upstream
  readonly questions: Questions.Questions
}

export const make = (
  { budgets, engine }: Process,
  config: Config,
  service: Upstream.Service
): Effect.Effect<Instance, never, HttpClient.HttpClient> =>
  Effect.map(
    Upstream.make(engine, {
      service,
      maxBodySize: config.limits.answer,
      cache: {
        enabled: config.cache.enabled,
        staleWhileRevalidate: config.cache.staleWhileRevalidate,
        staleIfError: config.cache.staleIfError,
        negative: ResponseCache.standard.negative
      }
    }),
    (upstream) => ({
      config,
      clients: Clients.make(config),
      budgets: Budgets.make(config.budgets, budgets),
      upstream,
      questions: Questions.make()
    })
  )
