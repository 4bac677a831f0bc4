/** Redacts API keys in output and messages. */
import { apiKey } from "@blockquarry/http/gateway/Settings"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { sanitize } from "../text/Sanitize.ts"
import type { TerminalService } from "./Terminal.ts"

/** No API key is shorter. A shorter one could match parts of words. */
const minSecretLength = 8

/** The texts that output and messages must not contain, from the moment at which they become known. */
export class KnownSecrets extends Context.Reference<KnownSecrets>()("@blockquarry/cli/KnownSecrets", {
  defaultValue: () => new Set<string>()
}) {}

export const protectSecret = (secret: Redacted.Redacted): Effect.Effect<void> =>
  Effect.map(KnownSecrets, (secrets) => {
    // The client trims the key, so a response repeats it without white space
    const text = Redacted.value(secret).trim()
    for (const spelling of [text, sanitize(text), JSON.stringify(text).slice(1, -1)]) {
      if (spelling.length >= minSecretLength) secrets.add(spelling)
    }
  })

/** Returns a function that redacts all secrets that are known when it is called. */
const redactor: Effect.Effect<(text: string) => string> = Effect.map(
  KnownSecrets,
  (secrets) => (text) =>
    [...secrets].reduce((rest, spelling) => rest.replaceAll(spelling, "<redacted>"), text)
)

/** Returns a function that prints texts without API keys. None is split over two texts. */
export const redactPrint = (print: TerminalService["print"]): Effect.Effect<TerminalService["print"]> =>
  Effect.map(
    redactor,
    (redact) => (text, onWritten) =>
      print(typeof text === "string" ? redact(text) : text.map(redact), onWritten)
  )

/**
 * Returns a terminal that redacts API keys. The client's errors do not contain the key, but a response, a cursor or a
 * defect may repeat it.
 */
export const redactTerminal = (terminal: TerminalService): Effect.Effect<TerminalService> =>
  Effect.gen(function*() {
    yield* protectSecret(yield* Effect.orElseSucceed(Config.redacted(apiKey), () => Redacted.make("")))
    const redact = yield* redactor
    return {
      ...terminal,
      print: yield* redactPrint(terminal.print),
      note: (text, kind) => terminal.note(redact(text), kind),
      progress: (text) => terminal.progress(text === null ? null : redact(text))
    }
  })
