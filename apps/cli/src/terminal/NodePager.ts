/** Runs the pager of the environment in a child process. */
import * as Effect from "effect/Effect"
import type { StartPager } from "./Pager.ts"
import { printToStream } from "./PrintTexts.ts"

interface EnvironmentVariables {
  readonly [name: string]: string | undefined
}

/** Programs that show nothing page by page. */
const noPagers: ReadonlySet<string | undefined> = new Set([undefined, "false", "cat"])

/** Returns the words of the command; empty for none. An empty variable disables the pager. */
const wordsOf = (
  command: string | null,
  environment: EnvironmentVariables,
  platform: NodeJS.Platform
): ReadonlyArray<string> => {
  const words = (command ?? environment["PAGER"] ?? (platform === "win32" ? "" : "less")).split(/\s+/)
    .filter((word) => word !== "")
  return noPagers.has(words[0]) ? [] : words
}

/** Creates the function that starts the pager. */
export const make =
  (environment: EnvironmentVariables, platform: NodeJS.Platform): StartPager => ({ chopsLines, command }) => {
    const [program, ...words] = wordsOf(command, environment, platform)
    if (program === undefined || environment["TERM"] === "dumb") return Effect.succeed(null)
    return Effect.flatMap(
      Effect.promise(() => import("node:child_process")),
      ({ spawn }) =>
        Effect.async((resume) => {
          const child = spawn(program, words, {
            stdio: ["pipe", "inherit", "inherit"],
            // Quits at once if the output fits the screen, keeps colors, and leaves the output on the screen
            env: { LESS: chopsLines ? "FRXS" : "FRX", LV: "-c", ...environment }
          })
          const exited = new Promise<void>((resolve) => child.on("close", () => resolve()))
          // A program that does not exist is no reason to print nothing
          child.on("error", () => resume(Effect.succeed(null)))
          child.on("spawn", () =>
            resume(Effect.succeed({
              print: printToStream(child.stdin),
              close: Effect.promise(() => {
                child.stdin.end()
                return exited
              })
            })))
        })
    )
  }
