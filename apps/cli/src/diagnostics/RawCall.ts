/** Calls an operation, and prints the response as the service sent it. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import type { EncodedRequest } from "@blockquarry/core/RequestEncoding"
import * as Engine from "@blockquarry/http/Engine"
import * as Timeouts from "@blockquarry/http/Timeouts"
import * as Upstream from "@blockquarry/http/Upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CommandSettings } from "../config/CommandSettings.ts"
import { connect, readEndpoint, userAgent } from "../connection/Connection.ts"
import type { HttpTransport } from "../connection/HttpTransport.ts"
import { type CommandError, UsageError } from "../errors/CommandError.ts"
import { printReceived } from "../list/RawOutput.ts"
import type { CommandTerminal } from "../terminal/Terminal.ts"

/** Prints the body, also of an error, and then fails with the error. */
export const printResponse = (
  operation: AnyOperation,
  input: unknown,
  request: EncodedRequest,
  baseUrlVariable: string,
  includeHeaders: boolean,
  settings: CommandSettings
): Effect.Effect<void, CommandError, HttpTransport | CommandTerminal> =>
  Effect.gen(function*() {
    const connection = yield* connect(settings)
    const endpoint = yield* readEndpoint(connection, operation.api, baseUrlVariable)
    const { classification, response } = yield* Effect.gen(function*() {
      const { raw } = yield* Engine.Engine
      const upstream = yield* Upstream.make(operation.api, {
        ...endpoint,
        userAgent,
        timeouts: { ...Timeouts.standard, call: settings.timeout ?? Timeouts.standard.call }
      })
      return yield* raw(operation, upstream)(input, request)
    }).pipe(
      Effect.provide(Layer.merge(Engine.layer, connection.client)),
      // The endpoint is valid
      Effect.catchTag("ConfigError", (error) => new UsageError({ reason: String(error), hint: null }))
    )
    const body = new TextDecoder().decode(response.bytes)
    const headers = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}\n`)
    const text = `${includeHeaders ? `HTTP ${response.status}\n${headers.join("")}\n` : ""}${body}`
    yield* printReceived(text)
    const result = classification()
    if (result._tag !== "Complete") return yield* Effect.fail(result.error)
  })
