import * as Effect from "effect/Effect"
import { environmentVariable } from "./EnvironmentVariable.ts"

/** `ascii` for locales without UTF-8. */
export type CharacterSet = "unicode" | "ascii"

/** Returns the characters of the locale. Windows has none in its environment, and supports Unicode. */
export const characterSet: Effect.Effect<CharacterSet> = Effect.gen(function*() {
  const locale = (yield* environmentVariable("LC_ALL")) || (yield* environmentVariable("LC_CTYPE")) ||
    (yield* environmentVariable("LANG"))
  const isWindows = (yield* environmentVariable("OS")) === "Windows_NT"
  return /utf-?8/i.test(locale) || (isWindows && locale === "") ? "unicode" : "ascii"
})
