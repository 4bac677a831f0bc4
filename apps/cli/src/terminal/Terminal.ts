/** The output streams of the command line: data on stdout, messages on stderr. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { OutputClosedError, OutputError } from "../errors/CommandError.ts"
import type { StreamInfo } from "./StreamInfo.ts"

/** How long the end of a command waits for the readers of its output, in milliseconds. */
export const drainTime = 2000

type NoteKind = "notice" | "required"

export interface TerminalService {
  readonly out: StreamInfo
  readonly err: StreamInfo
  /**
   * Writes data to stdout, with backpressure: one text, or several ones. Calls `onWritten` with the number of texts that
   * the output has accepted as a whole so far. An interruption waits up to 2 s for the write that is under way.
   */
  readonly print: (
    text: string | ReadonlyArray<string>,
    onWritten?: (count: number) => void
  ) => Effect.Effect<void, OutputClosedError | OutputError>
  /** Writes a line to stderr. With `--quiet` only required ones: errors, records that are left out, and questions to the user. */
  readonly note: (text: string, kind?: NoteKind) => Effect.Effect<void>
  /** Shows, replaces or clears (null) the progress line, cut to the width of the terminal. Only on a terminal. */
  readonly progress: (text: string | null) => Effect.Effect<void>
}

export class CommandTerminal
  extends Context.Tag("@blockquarry/cli/CommandTerminal")<CommandTerminal, TerminalService>()
{}

export const print = Effect.serviceFunctionEffect(CommandTerminal, ({ print }) => print)

export const note = Effect.serviceFunctionEffect(CommandTerminal, ({ note }) => note)

/** Returns the terminal of `--quiet`: without notices and progress. */
export const withoutNotices = (terminal: TerminalService): TerminalService => ({
  ...terminal,
  err: { ...terminal.err, isTerminal: false },
  note: (text, kind) => kind === "required" ? terminal.note(text) : Effect.void,
  progress: () => Effect.void
})

/** Returns a terminal that cuts the progress line: a line that wraps could not be replaced. */
export const withFittedProgress = (terminal: TerminalService): TerminalService => {
  const { err: { columns }, progress } = terminal
  return columns === null ? terminal : {
    ...terminal,
    progress: (text) =>
      text === null ? progress(null) : Effect.flatMap(
        Effect.promise(() => import("../text/Width.ts")),
        ({ truncateEnd }) => progress(truncateEnd(text, columns - 1))
      )
  }
}
