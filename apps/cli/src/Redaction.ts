/** Redacts the API key in messages. */
import { apiKey } from "@blockquarry/http/Settings"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { sanitize } from "./render/Sanitize.ts"
import type { TerminalService } from "./Terminal.ts"

/** No API key is shorter. A shorter one could match parts of words. */
const minSecretLength = 8

/**
 * Returns a terminal that redacts the API key in `note`. The client's errors do not contain the key, but a response, a
 * cursor or a defect may repeat it.
 */
export const redactNotes = (terminal: TerminalService): Effect.Effect<TerminalService> =>
  Effect.map(
    Effect.orElseSucceed(Config.redacted(apiKey), () => Redacted.make("")),
    (key) => {
      // The client trims the key, so a response repeats it without white space
      const secret = Redacted.value(key).trim()
      const variants = [secret, sanitize(secret)].filter(({ length }) => length >= minSecretLength)
      const redact = (text: string): string =>
        variants.reduce((rest, spelling) => rest.replaceAll(spelling, "<redacted>"), text)
      return { ...terminal, note: (text) => terminal.note(redact(text)) }
    }
  )
