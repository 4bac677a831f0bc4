/**
 * The two streams of a command line: data goes to `print`, everything else to `note`.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** Nobody reads the output any more, as after `| head`. This is no failure, but there is nothing left to do. */
export class OutputClosed extends Data.TaggedError("OutputClosed") {}

/** The output cannot be written, as on a full disk. */
export class OutputFailed extends Data.TaggedError("OutputFailed")<{ readonly problem: string }> {}

/** What is known of a stream. */
export interface Surface {
  readonly isTerminal: boolean
  readonly isColoured: boolean
  /** Null where lines may be of any length. */
  readonly columns: number | null
}

export interface ScreenService {
  readonly out: Surface
  readonly err: Surface
  /** Writes data, and ends when there is room for more: the reader sets the pace. */
  readonly print: (text: string) => Effect.Effect<void, OutputClosed | OutputFailed>
  /** Writes lines for people. */
  readonly note: (text: string) => Effect.Effect<void>
  /** Shows one line that the next one replaces, or takes it away. Only a terminal shows it. */
  readonly progress: (text: string | null) => Effect.Effect<void>
}

export class Screen extends Context.Tag("@blockquarry/cli/Screen")<Screen, ScreenService>() {}

type Style = "bold" | "dim" | "red" | "yellow"

const codes: { readonly [S in Style]: readonly [on: number, off: number] } = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  yellow: [33, 39]
}

/** A text in a style, where the surface has colours. */
export const styled = (surface: Surface, style: Style, text: string): string =>
  surface.isColoured ? `\u001b[${codes[style][0]}m${text}\u001b[${codes[style][1]}m` : text
