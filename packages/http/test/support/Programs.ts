/** Programs over the layers of APIs, with a script instead of the upstream, and with variables of the environment. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as ScriptedClient from "./ScriptedClient.ts"

type Variables = Readonly<Record<string, string>>

/** Runs a program, and returns its value with its requests. */
export const run = <A, E, R, E2>(
  use: Effect.Effect<A, E, R>,
  layer: Layer.Layer<R, E2, HttpClient.HttpClient>,
  replies: ScriptedClient.Script,
  variables: Variables = {}
) => {
  const { client, requests } = ScriptedClient.make(replies)
  return use.pipe(
    Effect.provide(layer),
    Effect.provideService(HttpClient.HttpClient, client),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables)))),
    Effect.map((value) => ({ value, requests }))
  )
}

/** The message of the error with which a layer fails. */
export const errorOf = <E>(
  layer: Layer.Layer<never, E, HttpClient.HttpClient>,
  variables?: Variables
): Effect.Effect<string, unknown> => Effect.map(Effect.flip(run(Effect.void, layer, [], variables)), String)
