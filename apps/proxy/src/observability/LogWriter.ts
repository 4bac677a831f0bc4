/**
 * Writes log lines to standard error in the background, so that a slow reader does not block the proxy. If the buffer is
 * full, because the reader is slow or writing fails, new lines are dropped and counted, and the next line that is written
 * reports the number. Lines are written completely and in order.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Fs from "node:fs"
import type { LogSink } from "./Logging.ts"

/** Maximum size of the lines that are not written yet, in bytes. */
const maxBufferedBytes = 4 * 1024 * 1024

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

const lineFeed = 10

/** The size of a buffer of lines that has not grown. */
const initialBytes = 64 * 1024

/** A larger buffer is released with its batch. */
const maxKeptBytes = 1024 * 1024

class BufferedWriter {
  /** Waiting lines in UTF-8. As strings, garbage collection would copy each line until it is written, often in many parts. */
  #lines = Buffer.allocUnsafeSlow(initialBytes)
  #length = 0
  /** Has the current batch. Collections of garbage would come sooner if each batch had a buffer of its own. */
  #batch = Buffer.allocUnsafeSlow(initialBytes)
  #dropped = 0
  /** The bytes of the current batch that are not written yet. */
  #unwritten: Buffer = Buffer.alloc(0)
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
    const bytes = Buffer.byteLength(line) + 1
    if (this.#unwritten.byteLength + this.#length + bytes > maxBufferedBytes) this.#dropped += 1
    else this.#append(line, bytes)
    this.#scheduleWrite(flushDelayMs)
  }

  #append(line: string, bytes: number): void {
    if (this.#length + bytes > this.#lines.byteLength) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#length + bytes, 2 * this.#lines.byteLength))
      this.#lines.copy(larger, 0, 0, this.#length)
      this.#lines = larger
    }
    this.#lines.write(line, this.#length)
    this.#length += bytes
    this.#lines[this.#length - 1] = lineFeed
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
        this.#unwritten = this.#unwritten.subarray(written)
        // Lines that arrived in the meantime wait for others.
        return this.#unwritten.byteLength > 0 || this.#length === 0 || this.#closing
          ? this.#write()
          : this.#scheduleWrite(flushDelayMs)
      }
      // The pipe is full, because the reader is slow.
      if (error === null || error.code === "EAGAIN") return this.#scheduleWrite(retryDelayMs)
      // The next line retries, so that logging continues when a full disk has space again.
      return this.#onIdle()
    })
  }

  /** Moves all buffered lines into the current batch. */
  #fillBuffer(): void {
    if (this.#length === 0 && this.#dropped === 0) return
    if (this.#dropped > 0) {
      const report = JSON.stringify({
        level: "warning",
        message: "log lines dropped",
        dropped: this.#dropped
      })
      this.#append(report, Buffer.byteLength(report) + 1)
      this.#dropped = 0
    }
    const free = this.#batch.byteLength > maxKeptBytes ? Buffer.allocUnsafeSlow(initialBytes) : this.#batch
    this.#batch = this.#lines
    this.#unwritten = this.#lines.subarray(0, this.#length)
    this.#lines = free
    this.#length = 0
  }
}
