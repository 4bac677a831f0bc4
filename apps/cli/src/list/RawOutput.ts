/** `--raw`: the bodies of the responses as received. */
import * as Effect from "effect/Effect"
import { type ArgumentValues, isEnabled } from "../args/ArgumentValues.ts"
import type { OnResponse } from "../connection/ApiClients.ts"
import type { CommandError } from "../errors/CommandError.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { sanitize } from "../text/Sanitize.ts"

/** The body of the last response. */
export interface Received {
  readonly onResponse: OnResponse
  readonly body: () => string
}

/** Keeps the body of the last response if `--raw` is set; null otherwise. */
export const makeReceived = (values: ArgumentValues): Received | null => {
  if (!isEnabled(values, "raw")) return null
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  let bytes = new Uint8Array()
  return {
    onResponse: (response) => void (bytes = new Uint8Array(response.bytes)),
    body: () => decoder.decode(bytes)
  }
}

/** Returns a text as the service sent it. Terminals get no control characters. */
export const receivedText = (text: string, isTerminal: boolean): string =>
  isTerminal
    ? text.replace(/\n$/, "").split("\n").map((line) => `${sanitize(line)}\n`).join("")
    : text

export const printReceived = (text: string) =>
  Effect.flatMap(CommandTerminal, ({ out, print }) => print(receivedText(text, out.isTerminal)))

/** Prints the body that cannot be read before the error, or the excerpt of one that is no JSON. */
export const printInvalid =
  (received: Received | null) =>
  <A, R>(effect: Effect.Effect<A, CommandError, R>): Effect.Effect<A, CommandError, R | CommandTerminal> =>
    received === null ? effect : Effect.tapErrorTag(
      effect,
      "InvalidResponseError",
      ({ body }) => printReceived(received.body() || body)
    )
