/**
 * The two streams of a command line: data goes to `print`, everything else to `note`.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** Nobody reads the output any more, as after `| head`. This is no failure, but there is nothing left to do. */
export class OutputClosedError extends Data.TaggedError("OutputClosedError") {}

/** The output cannot be written, as on a full disk. */
export class OutputError extends Data.TaggedError("OutputError")<{ readonly reason: string }> {}

/** What is known of a stream. */
export interface StreamInfo {
  readonly isTerminal: boolean
  readonly hasColors: boolean
  /** Null where lines may be of any length. */
  readonly columns: number | null
}

export interface TerminalService {
  readonly out: StreamInfo
  readonly err: StreamInfo
  /** Writes data, and ends when there is room for more: the reader sets the pace. */
  readonly print: (text: string) => Effect.Effect<void, OutputClosedError | OutputError>
  /** Writes lines for people. */
  readonly note: (text: string) => Effect.Effect<void>
  /** Shows one line that the next one replaces, or takes it away. Only a terminal shows it. */
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

/** A text in a style, where the surface has colours. */
export const styled = (stream: StreamInfo, style: TextStyle, text: string): string =>
  stream.hasColors ? `\u001b[${ansiCodes[style][0]}m${text}\u001b[${ansiCodes[style][1]}m` : text
