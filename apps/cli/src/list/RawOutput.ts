/** `--raw`: the bodies of the responses as received. */
import * as HttpClient from "@effect/platform/HttpClient"
import type { HttpClientResponse } from "@effect/platform/HttpClientResponse"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { isEnabled } from "../args/ArgumentValues.ts"
import { HttpTransport } from "../connection/HttpTransport.ts"
import type { CommandError } from "../errors/CommandError.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { sanitize } from "../text/Sanitize.ts"

class LastBody extends Context.Reference<LastBody>()("@blockquarry/cli/LastBody", {
  defaultValue: (): { bytes: Uint8Array } => ({ bytes: new Uint8Array() })
}) {}

const recordBody = (response: HttpClientResponse, last: typeof LastBody.Service): HttpClientResponse => {
  last.bytes = new Uint8Array()
  const recorded: HttpClientResponse = Object.create(response, {
    arrayBuffer: {
      get: () =>
        Effect.tap(response.arrayBuffer, (buffer) => Effect.sync(() => (last.bytes = new Uint8Array(buffer))))
    },
    stream: {
      get: () =>
        Stream.suspend(() => {
          let chunks = Chunk.empty<Uint8Array>()
          return response.stream.pipe(
            Stream.tap((chunk) => Effect.sync(() => (chunks = Chunk.append(chunks, chunk)))),
            Stream.onEnd(Effect.sync(() => (last.bytes = Buffer.concat(Chunk.toReadonlyArray(chunks)))))
          )
        })
    }
  })
  return recorded
}

/** Runs a command whose responses are recorded in `LastBody`, if `--raw` is set. */
export const withRecordedBodies =
  ({ values }: CommandInvocation) => <A, R>(effect: Effect.Effect<A, CommandError, R>) => {
    if (!isEnabled(values, "raw")) return effect
    const last: typeof LastBody.Service = { bytes: new Uint8Array() }
    const recording = Layer.map((context: Context.Context<HttpClient.HttpClient>) =>
      Context.make(
        HttpClient.HttpClient,
        HttpClient.transformResponse(
          Context.get(context, HttpClient.HttpClient),
          Effect.map((response) => recordBody(response, last))
        )
      )
    )
    return Effect.flatMap(HttpTransport, ({ network, proxyOf, sandbox }) =>
      effect.pipe(
        Effect.tapErrorTag("InvalidResponseError", () => printReceived()),
        Effect.provideService(LastBody, last),
        Effect.provideService(HttpTransport, {
          proxyOf,
          network: (usage) => Effect.map(network(usage), recording),
          sandbox: Effect.map(sandbox, (sandbox) => ({ ...sandbox, client: recording(sandbox.client) }))
        })
      ))
  }

/** Returns a text as the service sent it. Terminals get no control characters. */
const receivedText = (text: string, isTerminal: boolean): string =>
  isTerminal
    ? text.replace(/\n$/, "").split("\n").map((line) => `${sanitize(line)}\n`).join("")
    : text

export const lastBody = (isTerminal: boolean): Effect.Effect<string> =>
  Effect.map(
    LastBody,
    ({ bytes }) => receivedText(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), isTerminal)
  )

/** Prints a text as the service sent it; the last body by default. */
export const printReceived = (text?: string) =>
  Effect.gen(function*() {
    const { out: { isTerminal }, print } = yield* CommandTerminal
    yield* print(text === undefined ? yield* lastBody(isTerminal) : receivedText(text, isTerminal))
  })
