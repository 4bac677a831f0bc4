/** Implements the terminal with the standard streams of a process. */
import * as Effect from "effect/Effect"
import { printToOutput } from "./PrintTexts.ts"
import { messageStreamInfo, streamInfo } from "./StreamInfo.ts"
import type { TerminalService } from "./Terminal.ts"

interface StandardStreams {
  readonly stdout: NodeJS.WriteStream & { readonly fd: number }
  readonly stderr: NodeJS.WriteStream
}

/** Creates the terminal. Reads the properties of the streams once. */
export const make = (
  { stderr, stdout }: StandardStreams,
  environment: NodeJS.ProcessEnv
): TerminalService => {
  const out = streamInfo(stdout, environment)
  const err = messageStreamInfo(stderr, environment)
  const print = printToOutput(stdout)
  // Without a listener an error event ends the process
  stderr.on("error", () => {})
  let progressShown = false
  const clearProgress = () => {
    if (progressShown) stderr.write("\r\u001b[K")
    progressShown = false
  }
  return {
    out,
    err,
    print: (text, onWritten) =>
      Effect.suspend(() => {
        if (out.isTerminal && text.length > 0) clearProgress()
        return print(text, onWritten)
      }),
    note: (text) =>
      Effect.sync(() => {
        clearProgress()
        stderr.write(`${text}\n`)
      }),
    progress: (text) =>
      Effect.sync(() => {
        if (!err.isTerminal) return
        if (text === null) return clearProgress()
        // A single write avoids flicker
        stderr.write(`${progressShown ? "\r\u001b[K" : ""}${text}`)
        progressShown = true
      })
  }
}
