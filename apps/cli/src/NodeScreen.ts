/** The screen of a process: its standard streams. */
import * as Effect from "effect/Effect"
import { OutputClosed, OutputFailed, type ScreenService, type Surface } from "./Screen.ts"

interface Streams {
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

interface Environment {
  readonly [name: string]: string | undefined
}

const surface = (stream: NodeJS.WriteStream, environment: Environment): Surface => {
  const isTerminal = stream.isTTY
  return {
    isTerminal,
    isColoured: isTerminal && (environment["NO_COLOR"] ?? "") === "" && environment["TERM"] !== "dumb",
    columns: isTerminal ? stream.columns : null
  }
}

/** A reader that went away is no failure. */
const failed = (error: NodeJS.ErrnoException): OutputClosed | OutputFailed =>
  error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED"
    ? new OutputClosed()
    : new OutputFailed({ problem: `the output cannot be written: ${error.code ?? error.message}` })

/** Reads what has to be known of the streams once, when the process starts. */
export const make = ({ stderr, stdout }: Streams, environment: Environment): ScreenService => {
  const out = surface(stdout, environment)
  const err = surface(stderr, environment)
  // Writes report their failures themselves; without a listener the first one would end the process
  let failure: OutputClosed | OutputFailed | null = null
  stdout.on("error", (error) => {
    failure = failed(error)
  })
  stderr.on("error", () => {})
  let shown = false
  const clear = () => {
    if (shown) stderr.write("\r\u001b[K")
    shown = false
  }
  return {
    out,
    err,
    print: (text) =>
      Effect.suspend(() => {
        if (failure !== null) return failure
        if (text === "") return Effect.void
        if (out.isTerminal) clear()
        return Effect.async<void, OutputClosed | OutputFailed>((resume) => {
          // A turn of the event loop for each write: what answers at once, as the sandbox does, would otherwise never
          // let a signal through.
          stdout.write(text, (error) => setImmediate(() => resume(error ? failed(error) : Effect.void)))
        })
      }),
    note: (text) =>
      Effect.sync(() => {
        clear()
        stderr.write(`${text}\n`)
      }),
    progress: (text) =>
      Effect.sync(() => {
        if (!err.isTerminal) return
        if (text === null) return clear()
        // In one write: a line that is away for a moment flickers
        stderr.write(`${shown ? "\r\u001b[K" : ""}${text}`)
        shown = true
      })
  }
}
