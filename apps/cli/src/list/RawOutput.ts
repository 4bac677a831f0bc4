/** `--raw`: the bodies of the responses as received. */
import * as HttpClient from "@effect/platform/HttpClient"
import type { HttpClientResponse } from "@effect/platform/HttpClientResponse"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { isEnabled } from "../args/ArgumentValues.ts"
import { HttpTransport, type HttpTransportService } from "../connection/HttpTransport.ts"
import type { OutputClosedError, OutputError } from "../errors/CommandError.ts"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import { redactor } from "../terminal/Redaction.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { sanitize } from "../text/Sanitize.ts"

/** Keeps the body of the last response. */
class LastBody extends Context.Reference<LastBody>()("@blockquarry/cli/LastBody", {
  defaultValue: (): { bytes: Uint8Array } => ({ bytes: new Uint8Array() })
}) {}

const joined = (chunks: Chunk.Chunk<Uint8Array>): Uint8Array => Buffer.concat(Chunk.toReadonlyArray(chunks))

const recordBody = (
  response: HttpClientResponse,
  record: (bytes: Uint8Array) => void
): HttpClientResponse => {
  const recorded: HttpClientResponse = Object.create(response, {
    arrayBuffer: {
      get: () =>
        Effect.tap(response.arrayBuffer, (buffer) => Effect.sync(() => record(new Uint8Array(buffer))))
    },
    stream: {
      get: () =>
        Stream.unwrap(Effect.sync(() => {
          let chunks = Chunk.empty<Uint8Array>()
          return response.stream.pipe(
            Stream.tap((chunk) => Effect.sync(() => (chunks = Chunk.append(chunks, chunk)))),
            Stream.onEnd(Effect.sync(() => record(joined(chunks))))
          )
        }))
    }
  })
  return recorded
}

/** Runs a command whose responses are recorded in `LastBody`, if `--raw` is set. */
export const withRecordedBodies =
  ({ values }: CommandInvocation) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | HttpTransport> => {
    if (!isEnabled(values, "raw")) return effect
    const last: typeof LastBody.Service = { bytes: new Uint8Array() }
    const recording = (layer: Layer.Layer<HttpClient.HttpClient>) =>
      Layer.map(layer, (context) =>
        Context.make(
          HttpClient.HttpClient,
          HttpClient.transformResponse(
            Context.get(context, HttpClient.HttpClient),
            Effect.map((response) => recordBody(response, (bytes) => (last.bytes = bytes)))
          )
        ))
    const recordingTransport = (transport: HttpTransportService): HttpTransportService => ({
      network: (usage) => Effect.map(transport.network(usage), recording),
      sandbox: Effect.map(transport.sandbox, (sandbox) => ({ ...sandbox, client: recording(sandbox.client) }))
    })
    return Effect.provideServiceEffect(
      Effect.provideService(effect, LastBody, last),
      HttpTransport,
      Effect.map(HttpTransport, recordingTransport)
    )
  }

/** Returns a text as the service sent it, without the API key. Terminals get no control characters. */
const receivedText = (text: string, isTerminal: boolean): Effect.Effect<string> =>
  Effect.map(redactor, (redact) => {
    const received = redact(text)
    return isTerminal
      ? received.replace(/\n$/, "").split("\n").map((line) => `${sanitize(line)}\n`).join("")
      : received
  })

/** Returns the last body. */
export const lastBody = (isTerminal: boolean): Effect.Effect<string> =>
  Effect.flatMap(
    LastBody,
    ({ bytes }) => receivedText(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), isTerminal)
  )

/** Prints a text as the service sent it. */
export const printReceived = (
  text: string
): Effect.Effect<void, OutputClosedError | OutputError, CommandTerminal> =>
  Effect.flatMap(
    CommandTerminal,
    ({ out, print }) => Effect.flatMap(receivedText(text, out.isTerminal), (received) => print(received))
  )

/** Prints the last body. */
export const printLastBody: Effect.Effect<void, OutputClosedError | OutputError, CommandTerminal> = Effect
  .flatMap(
    CommandTerminal,
    ({ out, print }) => Effect.flatMap(lastBody(out.isTerminal), (body) => print(body))
  )
