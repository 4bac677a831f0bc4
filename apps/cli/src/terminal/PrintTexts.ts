/** Writes texts to an output, and counts those that it has accepted as a whole. */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { OutputClosedError, OutputError } from "../errors/CommandError.ts"
import { errorCode, systemFailure } from "../errors/SystemError.ts"
import { drainTime, type TerminalService } from "./Terminal.ts"

/** A pipe takes this many bytes at once or not at all (PIPE_BUF of Linux), so that no line is cut. */
const atomicBytes = 4096

type WriteError = OutputClosedError | OutputError

/** The bytes of one write: texts that end at `ends`. */
interface Piece {
  readonly bytes: Uint8Array
  readonly ends: ReadonlyArray<number>
}

/** Writes a piece, and calls `done` with the number of texts that the output accepted. */
type WritePiece = (piece: Piece, done: (count: number, error: WriteError | null) => void) => void

const closedCodes: ReadonlySet<string> = new Set(["EPIPE", "ERR_STREAM_DESTROYED"])

/** Distinguishes a closed pipe, which is no failure, from other write errors. */
const toWriteError = (error: unknown): WriteError =>
  closedCodes.has(errorCode(error))
    ? new OutputClosedError()
    : new OutputError(systemFailure("cannot write output", error))

/** Joins texts to pieces. A text that is longer than a piece is one by itself. */
const piecesOf = function*(texts: ReadonlyArray<string>): Generator<Piece, void> {
  let buffers: Array<Uint8Array> = []
  let ends: Array<number> = []
  let length = 0
  for (const text of texts) {
    const bytes = Buffer.from(text)
    if (length > 0 && length + bytes.length > atomicBytes) {
      yield { bytes: Buffer.concat(buffers), ends }
      buffers = []
      ends = []
      length = 0
    }
    buffers.push(bytes)
    length += bytes.length
    ends.push(length)
  }
  if (length > 0) yield { bytes: Buffer.concat(buffers), ends }
}

/** Prints to a stream. Its callback says that the kernel has accepted the bytes. */
export const printToStream = (stream: NodeJS.WritableStream): TerminalService["print"] => {
  // Without a listener an error event ends the process; the callback reports the error
  stream.on("error", () => {})
  return makePrint(({ bytes, ends }, done) => {
    stream.write(bytes, (error) => error ? done(0, toWriteError(error)) : done(ends.length, null))
  })
}

/** Returns whether a standard stream is a file or a device. Others are pipes, sockets and terminals. */
const isOutputFile = (
  { fd, isTTY }: Pick<NodeJS.WriteStream, "isTTY"> & { readonly fd: number }
): boolean => {
  const status = fs.fstatSync(fd)
  return !isTTY && (status.isFile() || status.isCharacterDevice())
}

const sizeOf = (fd: number): number | null => {
  const status = fs.fstatSync(fd)
  return status.isFile() ? status.size : null
}

/**
 * Writes bytes that consist of texts, which end at `ends`. A full disk takes a part of them, which the stream of Node.js does
 * not report. The text that is cut is removed, so that the file ends with a whole one, and the next command can append.
 * Returns the number of texts that were written as a whole.
 */
const writeToFile = (fd: number, bytes: Uint8Array, ends: ReadonlyArray<number>) => {
  let written = 0
  const before = sizeOf(fd)
  try {
    while (written < bytes.length) written += fs.writeSync(fd, bytes, written)
    return { count: ends.length, error: null }
  } catch (error) {
    const whole = ends.filter((end) => end <= written)
    // Only what was appended. Another process may have written to the file meanwhile
    if (before !== null && sizeOf(fd) === before + written) fs.ftruncateSync(fd, before + (whole.at(-1) ?? 0))
    return { count: whole.length, error }
  }
}

export const printToOutput = (
  stdout: NodeJS.WriteStream & { readonly fd: number }
): TerminalService["print"] =>
  isOutputFile(stdout)
    ? makePrint(({ bytes, ends }, done) => {
      const { count, error } = writeToFile(stdout.fd, bytes, ends)
      done(count, error === null ? null : toWriteError(error))
    })
    : printToStream(stdout)

const makePrint = (write: WritePiece): TerminalService["print"] => {
  let failure: WriteError | null = null
  return (text, onWritten = () => {}) =>
    Effect.suspend(() =>
      failure ?? Effect.async<void, WriteError>((resume) => {
        const pieces = piecesOf(typeof text === "string" ? [text] : text)
        let written = 0
        let isWriting = false
        let isInterrupted = false
        let onDrained = () => {}
        const writeNext = (): void => {
          if (isInterrupted) return
          const { done, value } = pieces.next()
          if (done === true) return resume(Effect.void)
          isWriting = true
          write(value, (count, error) => {
            isWriting = false
            written += count
            onWritten(written)
            onDrained()
            if (error !== null) {
              failure = error
              return resume(error)
            }
            // Signals are handled between two writes. Those of a terminal block, and responses of the in-process sandbox
            // arrive without I/O
            setImmediate(writeNext)
          })
        }
        writeNext()
        return Effect.async<void>((drained) => {
          isInterrupted = true
          if (!isWriting) return drained(Effect.void)
          // The write cannot be taken back, but the process ends before the reader takes it
          const timer = setTimeout(() => {
            failure = new OutputClosedError()
            drained(Effect.void)
          }, drainTime)
          onDrained = () => {
            clearTimeout(timer)
            drained(Effect.void)
          }
        })
      })
    )
}
