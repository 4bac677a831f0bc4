/** The output streams of the command line: data on stdout, messages on stderr. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** The reader of the output closed the pipe, for example `head`. The command ends with exit status 0. */
export class OutputClosedError extends Data.TaggedError("OutputClosedError") {}

/** The output cannot be written, for example because the disk is full. */
export class OutputError extends Data.TaggedError("OutputError")<{ readonly reason: string }> {}

/** Properties of a stream. */
export interface StreamInfo {
  readonly isTerminal: boolean
  readonly hasColors: boolean
  /** Width of the terminal; null if lines have no limit. */
  readonly columns: number | null
}

export interface TerminalService {
  readonly out: StreamInfo
  readonly err: StreamInfo
  /** Writes data to stdout, with backpressure. */
  readonly print: (text: string) => Effect.Effect<void, OutputClosedError | OutputError>
  /** Writes a line to stderr. */
  readonly note: (text: string) => Effect.Effect<void>
  /** Shows, replaces or clears (null) the progress line. Only on a terminal. */
  readonly progress: (text: string | null) => Effect.Effect<void>
}

export class CommandTerminal
  extends Context.Tag("@blockquarry/cli/CommandTerminal")<CommandTerminal, TerminalService>()
{}

type TextStyle = "bold" | "dim" | "red" | "yellow"

const ansiCodes: { readonly [S in TextStyle]: readonly [on: number, off: number] } = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  yellow: [33, 39]
}

/** Styles a text if the stream supports colors. */
export const styled = (stream: StreamInfo, style: TextStyle, text: string): string =>
  stream.hasColors ? `\u001b[${ansiCodes[style][0]}m${text}\u001b[${ansiCodes[style][1]}m` : text
