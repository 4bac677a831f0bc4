/** Runs the pager of the environment in a child process. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import type { StartPager } from "./render/Pager.ts"
import { OutputClosedError } from "./Terminal.ts"

interface EnvironmentVariables {
  readonly [name: string]: string | undefined
}

/** Returns the command of the pager; empty for none. An empty variable disables the pager. */
const commandOf = (environment: EnvironmentVariables, platform: NodeJS.Platform): ReadonlyArray<string> => {
  const command = environment["QUARRY_PAGER"] ?? environment["PAGER"] ?? (platform === "win32" ? "" : "less")
  const words = command.split(/\s+/).filter((word) => word !== "")
  return words[0] === "cat" ? [] : words
}

/** Creates the function that starts the pager. */
export const make =
  (environment: EnvironmentVariables, platform: NodeJS.Platform): StartPager => ({ chopsLines }) =>
    Effect.async((resume) => {
      const [program, ...words] = commandOf(environment, platform)
      if (program === undefined || environment["TERM"] === "dumb") return resume(Effect.succeed(null))
      const child = spawn(program, words, {
        stdio: ["pipe", "inherit", "inherit"],
        // Quits at once if the output fits the screen, keeps colors, and leaves the output on the screen
        env: { LESS: chopsLines ? "FRXS" : "FRX", LV: "-c", ...environment }
      })
      const exited = new Promise<void>((resolve) => child.on("close", () => resolve()))
      child.stdin.on("error", () => {})
      // A program that does not exist is no reason to print nothing
      child.on("error", () => resume(Effect.succeed(null)))
      child.on("spawn", () =>
        resume(Effect.succeed({
          write: (text) =>
            Effect.async<void, OutputClosedError>((resume) => {
              child.stdin.write(
                text,
                (error) => setImmediate(() => resume(error ? new OutputClosedError() : Effect.void))
              )
            }),
          close: Effect.promise(() => {
            child.stdin.end()
            return exited
          })
        })))
    })
