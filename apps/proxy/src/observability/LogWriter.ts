/**
 * Writes log lines to standard error in the background, so that a slow reader does not block the proxy. If the buffer is
 * full or writing fails, new lines are dropped and counted, and the next line that is written reports the number. Lines
 * are written completely and in order.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Fs from "node:fs"
import type { LogSink } from "./Logging.ts"

/** Maximum size of the buffer, in characters. */
const maxBufferedChars = 4 * 1024 * 1024

/** Lines within this time are written together, in milliseconds. */
const flushDelayMs = 50

/** Delay before the next write to a full pipe, in milliseconds. */
const retryDelayMs = 10

/** Maximum time that closing waits for the reader, in milliseconds. */
const closeTimeoutMs = 2000

/** Creates a sink that writes to an open file. Closing the scope flushes the buffer, at most for `closeTimeoutMs`. */
export const make = (file: number): Effect.Effect<LogSink, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(Effect.sync(() => new BufferedWriter(file)), (writer) => writer.close),
    (writer) => (line) => writer.add(line)
  )

const emptyBuffer = Buffer.alloc(0)

const lineFeed = 10

class BufferedWriter {
  #lines: Array<string> = []
  #size = 0
  #dropped = 0
  /** The bytes of the current batch that are not written yet. */
  #unwritten: Buffer = emptyBuffer
  /** Whether the file ends with an incomplete line, whose rest is at the start of `#unwritten`. */
  #partialLine = false
  /** The number of dropped lines that the last line of `#unwritten` reports. */
  #reportedDropped = 0
  #writing = false
  #closing = false
  #closed = false
  #timer: NodeJS.Timeout | undefined
  /** Called when the buffer is empty or writing fails. */
  #onIdle = (): void => {}

  readonly #file: number

  constructor(file: number) {
    this.#file = file
  }

  add(line: string): void {
    if (this.#closed) return
    if (this.#unwritten.byteLength + this.#size + line.length > maxBufferedChars) {
      this.#dropped += 1
    } else {
      this.#lines.push(line)
      this.#size += line.length
    }
    this.#scheduleWrite(flushDelayMs)
  }

  readonly close: Effect.Effect<void> = Effect.async((resume) => {
    const finish = () => {
      clearTimeout(timeout)
      clearTimeout(this.#timer)
      this.#closed = true
      resume(Effect.void)
    }
    const timeout = setTimeout(finish, closeTimeoutMs)
    this.#onIdle = finish
    this.#closing = true
    this.#write()
  })

  #scheduleWrite(delayMs: number): void {
    this.#timer ??= setTimeout(() => this.#write(), delayMs).unref()
  }

  #write(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#writing || this.#closed) return
    if (this.#unwritten.byteLength === 0) this.#fillBuffer()
    if (this.#unwritten.byteLength === 0) return this.#onIdle()
    this.#writing = true
    Fs.write(this.#file, this.#unwritten, (error, written) => {
      this.#writing = false
      if (error === null && written > 0) {
        this.#advance(written)
        // Lines that arrived in the meantime wait for others.
        return this.#unwritten.byteLength > 0 || this.#lines.length === 0 || this.#closing
          ? this.#write()
          : this.#scheduleWrite(flushDelayMs)
      }
      if (this.#closed) return
      // The pipe is full, because the reader is slow.
      if (error === null || error.code === "EAGAIN") return this.#scheduleWrite(retryDelayMs)
      this.#dropUnwritten()
      // The next line retries, so that logging continues when a full disk has space again.
      return this.#lines.length > 0 ? this.#scheduleWrite(flushDelayMs) : this.#onIdle()
    })
  }

  /** Moves all buffered lines into the current batch. */
  #fillBuffer(): void {
    if (this.#dropped > 0) {
      this.#lines.push(
        JSON.stringify({ level: "warning", message: "log lines dropped", dropped: this.#dropped })
      )
    }
    this.#unwritten = this.#lines.length === 0 ? emptyBuffer : Buffer.from(`${this.#lines.join("\n")}\n`)
    this.#reportedDropped = this.#dropped
    this.#lines = []
    this.#size = 0
    this.#dropped = 0
  }

  #advance(bytes: number): void {
    this.#partialLine = this.#unwritten[bytes - 1] !== lineFeed
    this.#unwritten = this.#unwritten.subarray(bytes)
  }

  /** Drops the current batch, except the rest of a line that is partially written: other lines must not be appended to it. */
  #dropUnwritten(): void {
    const remainingBytes = this.#partialLine ? this.#unwritten.indexOf(lineFeed) + 1 : 0
    const lostLines = this.#unwritten.subarray(remainingBytes).reduce(
      (count, byte) => byte === lineFeed ? count + 1 : count,
      0
    )
    this.#unwritten = this.#unwritten.subarray(0, remainingBytes)
    if (lostLines === 0) return
    // The line that reports dropped lines does not count as dropped.
    this.#dropped += this.#reportedDropped > 0 ? lostLines - 1 + this.#reportedDropped : lostLines
    this.#reportedDropped = 0
  }
}
