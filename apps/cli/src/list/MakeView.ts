/** How a command shows tables and records. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { CommandInvocation } from "../invocation/CommandSpec.ts"
import type { View } from "../render/View.ts"
import { CommandTerminal } from "../terminal/Terminal.ts"
import { outputSettings } from "./OutputOptions.ts"

/** Times are relative and values short on a terminal only. */
export const makeView = (
  { settings, values }: CommandInvocation,
  subject: string | null
): Effect.Effect<View, never, CommandTerminal> =>
  Effect.gen(function*() {
    const { out } = yield* CommandTerminal
    const { isUtc, isWide } = outputSettings(values)
    return {
      stream: out,
      isWide: isWide || !out.isTerminal,
      now: out.isTerminal && !isUtc ? yield* Clock.currentTimeMillis : null,
      subject,
      aliasOf: settings.addressBook.aliasOf
    }
  })
