/** The key stays off the screen. */
import { apiKey } from "@blockquarry/http/Settings"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { sanitize } from "./render/Sanitize.ts"
import type { TerminalService } from "./Terminal.ts"

/** No key is shorter, and a shorter one would be found in the middle of words. */
const minSecretLength = 8

/**
 * A screen whose notes never have the key in them, although a service may repeat it in anything that it says (a cursor
 * is quoted too) and a defect may quote the request. The client keeps its own errors free of it; this is the last gate.
 */
export const redactNotes = (screen: TerminalService): Effect.Effect<TerminalService> =>
  Effect.map(
    Effect.orElseSucceed(Config.redacted(apiKey), () => Redacted.make("")),
    (key) => {
      // White space around a key is not sent, so it is not repeated
      const secret = Redacted.value(key).trim()
      const variants = [secret, sanitize(secret)].filter(({ length }) => length >= minSecretLength)
      const redact = (text: string): string =>
        variants.reduce((rest, spelling) => rest.replaceAll(spelling, "<redacted>"), text)
      return { ...screen, note: (text) => screen.note(redact(text)) }
    }
  )
