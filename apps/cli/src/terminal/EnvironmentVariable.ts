/** Environment variables, as the terminal and the configuration read them. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"

/** Returns the value of an environment variable; empty if it is not set. */
export const environmentVariable = (name: string): Effect.Effect<string> =>
  Config.string(name).pipe(Effect.orElseSucceed(() => ""), Effect.map((value) => value.trim()))
