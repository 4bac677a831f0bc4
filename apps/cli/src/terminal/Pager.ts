/** Shows output on a terminal page by page, with the program that the user prefers. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { EndTimeout } from "./CommandTimeout.ts"
import { printToStream } from "./PrintTexts.ts"
import { redactPrint } from "./Redaction.ts"
import { CommandTerminal, type TerminalService } from "./Terminal.ts"

interface PagerProcess {
  /** As that of the terminal. Fails if the user quit. */
  readonly print: TerminalService["print"]
  /** Ends the input, and waits until the user quits. */
  readonly close: Effect.Effect<void>
}

export interface PagerOptions {
  /** The configured program with its arguments; null for the default. */
  readonly command: string | null
  /** Whether long lines scroll instead of wrapping. */
  readonly chopsLines: boolean
}

/** Starts the pager; null if there is none. */
export type StartPager = (options: PagerOptions) => Effect.Effect<PagerProcess | null>

/** How to start a pager. Without a provider there is none. */
export class Pager extends Context.Reference<Pager>()("@blockquarry/cli/Pager", {
  defaultValue: (): StartPager => () => Effect.succeed(null)
}) {}

/**
 * Runs an effect with a terminal that prints through a pager. Messages wait until the user quits, because they would
 * overwrite the screen of the pager. The pager starts with the first output.
 */
export const withPager =
  (options: PagerOptions & { readonly isEnabled: boolean }) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | CommandTerminal> =>
    Effect.gen(function*() {
      const terminal = yield* CommandTerminal
      const start = yield* Pager
      const endTimeout = yield* EndTimeout
      if (!options.isEnabled || !terminal.out.isTerminal) return yield* effect
      let process: PagerProcess | null = null
      let isStarted = false
      const notes: Array<Parameters<TerminalService["note"]>> = []
      const paged: TerminalService = {
        ...terminal,
        print: (text, onWritten) =>
          Effect.gen(function*() {
            if (text.length === 0) return
            if (!isStarted) {
              isStarted = true
              yield* terminal.progress(null)
              process = yield* start(options)
              if (process !== null) endTimeout()
            }
            if (process === null) return yield* terminal.print(text, onWritten)
            const print = yield* redactPrint(process.print)
            yield* print(text, onWritten)
          }),
        note: (...note) =>
          process === null ? terminal.note(...note) : Effect.sync(() => void notes.push(note)),
        progress: (text) => process === null ? terminal.progress(text) : Effect.void
      }
      const close = Effect.suspend(() => {
        const running = process
        process = null
        return running === null
          ? Effect.void
          : Effect.zipRight(
            running.close,
            Effect.forEach(notes, (note) => terminal.note(...note), { discard: true })
          )
      })
      return yield* Effect.ensuring(Effect.provideService(effect, CommandTerminal, paged), close)
    })

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

/** Starts pagers in child processes, as the environment says. */
export const makePager =
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
