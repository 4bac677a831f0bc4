/** The screen of a process: its standard streams. */
import * as Effect from "effect/Effect"
import { OutputClosedError, OutputError, type StreamInfo, type TerminalService } from "./Terminal.ts"

interface StandardStreams {
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

interface EnvironmentVariables {
  readonly [name: string]: string | undefined
}

const streamInfo = (stream: NodeJS.WriteStream, environment: EnvironmentVariables): StreamInfo => {
  const isTerminal = stream.isTTY
  return {
    isTerminal,
    hasColors: isTerminal && (environment["NO_COLOR"] ?? "") === "" && environment["TERM"] !== "dumb",
    columns: isTerminal ? stream.columns : null
  }
}

/** A reader that went away is no failure. */
const toOutputError = (error: NodeJS.ErrnoException): OutputClosedError | OutputError =>
  error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED"
    ? new OutputClosedError()
    : new OutputError({ reason: `the output cannot be written: ${error.code ?? error.message}` })

/** Reads what has to be known of the streams once, when the process starts. */
export const make = (
  { stderr, stdout }: StandardStreams,
  environment: EnvironmentVariables
): TerminalService => {
  const out = streamInfo(stdout, environment)
  const err = streamInfo(stderr, environment)
  // Writes report their failures themselves; without a listener the first one would end the process
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
          // A turn of the event loop for each write: what answers at once, as the sandbox does, would otherwise never
          // let a signal through.
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
        // In one write: a line that is away for a moment flickers
        stderr.write(`${progressShown ? "\r\u001b[K" : ""}${text}`)
        progressShown = true
      })
  }
}
