/** A terminal that records what it shows. */
import * as Effect from "effect/Effect"
import type { TerminalService } from "../../src/terminal/Terminal.ts"

export const recordingTerminal = (isTerminal: boolean) => {
  const lines: Array<string | null> = []
  const notes: Array<string> = []
  const stream = { isTerminal, hasColors: false, columns: 200 }
  const terminal: TerminalService = {
    out: stream,
    err: stream,
    print: () => Effect.void,
    note: (text) => Effect.sync(() => void notes.push(text)),
    progress: (text) => Effect.sync(() => void lines.push(text))
  }
  return { lines, notes, terminal }
}
