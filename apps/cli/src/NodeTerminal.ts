/** Implements the terminal with the standard streams of a process. */
import * as Effect from "effect/Effect"
import { streamInfo } from "./StreamInfo.ts"
import { systemFailure } from "./SystemError.ts"
import { OutputClosedError, OutputError, type TerminalService } from "./Terminal.ts"

interface StandardStreams {
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

/** Distinguishes a closed pipe, which is no failure, from other write errors. */
const toOutputError = (error: NodeJS.ErrnoException): OutputClosedError | OutputError =>
  error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED"
    ? new OutputClosedError()
    : new OutputError(systemFailure("cannot write output", error))

/** Creates the terminal. Reads the properties of the streams once. */
export const make = (
  { stderr, stdout }: StandardStreams,
  environment: NodeJS.ProcessEnv,
  argv: ReadonlyArray<string>
): TerminalService => {
  const out = streamInfo(stdout, environment, argv)
  const err = streamInfo(stderr, environment, argv)
  // Without a listener an error event ends the process; `print` reports the error
  let writeError: OutputClosedError | OutputError | null = null
  stdout.on("error", (error) => {
    writeError = toOutputError(error)
  })
  stderr.on("error", () => {})
  let progressShown = false
  const clearProgress = () => {
    if (progressShown) stderr.write("\r\u001b[K")
    progressShown = false
  }
  return {
    out,
    err,
    print: (text) =>
      Effect.suspend(() => {
        if (writeError !== null) return writeError
        if (text === "") return Effect.void
        if (out.isTerminal) clearProgress()
        return Effect.async<void, OutputClosedError | OutputError>((resume) => {
          // Yields to the event loop after each write: responses of the in-process sandbox arrive without I/O, and
          // signals would never be handled
          stdout.write(
            text,
            (error) => setImmediate(() => resume(error ? toOutputError(error) : Effect.void))
          )
        })
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
