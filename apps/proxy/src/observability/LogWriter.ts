/**
 * Lines on their way to standard error. A reader that is slow must not stop the proxy: lines are gathered and written
 * in the background, and where too many wait, or nothing can be written, the newest are dropped and counted. A line says
 * how many as soon as there is room. Lines are written whole and in order.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Fs from "node:fs"
import type { LogSink } from "./Logging.ts"

/** Characters that wait at most. */
const maxBufferedChars = 4 * 1024 * 1024

/** Lines are written together that come within so many milliseconds. */
const flushDelayMs = 50

/** A pipe that is full is tried again after so many milliseconds. */
const retryDelayMs = 10

/** At the end it is waited for the reader for so many milliseconds at most. */
const closeTimeoutMs = 2000

/** Writes to an open file until the scope closes, and before that what waits then, if the reader takes it in time. */
export const make = (file: number): Effect.Effect<LogSink, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(Effect.sync(() => new BufferedWriter(file)), (pending) => pending.close),
    (pending) => (line) => pending.add(line)
  )

const emptyBuffer = Buffer.alloc(0)

const lineFeed = 10

class BufferedWriter {
  #lines: Array<string> = []
  #size = 0
  #dropped = 0
  /** What is being written, as far as it is not. */
  #unwritten: Buffer = emptyBuffer
  /** That the file ends within a line, of which `#rest` begins with the end. */
  #partialLine = false
  /** Of how many dropped lines the last line of `#rest` tells. */
  #reportedDropped = 0
  #writing = false
  #closed = false
  #timer: NodeJS.Timeout | undefined
  /** To be called when nothing waits, or nothing can be written. */
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
    this.#write()
  })

  #scheduleWrite(millis: number): void {
    this.#timer ??= setTimeout(() => this.#write(), millis).unref()
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
        return this.#write()
      }
      if (this.#closed) return
      // The reader is slow, and the pipe full.
      if (error === null || error.code === "EAGAIN") return this.#scheduleWrite(retryDelayMs)
      this.#dropUnwritten()
      // Tried again with the next line, so that a disk that was full is written to when there is room.
      return this.#lines.length > 0 ? this.#scheduleWrite(flushDelayMs) : this.#onIdle()
    })
  }

  /** All that waits becomes what is being written. */
  #fillBuffer(): void {
    if (this.#dropped > 0) {
      this.#lines.push(
        JSON.stringify({ level: "warning", message: "lines of the log were dropped", dropped: this.#dropped })
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

  /** Drops the lines of what is being written, but for the end of one that was begun: no other may follow its torn half. */
  #dropUnwritten(): void {
    const keptBytes = this.#partialLine ? this.#unwritten.indexOf(lineFeed) + 1 : 0
    const lostLines = this.#unwritten.subarray(keptBytes).reduce(
      (count, byte) => byte === lineFeed ? count + 1 : count,
      0
    )
    this.#unwritten = this.#unwritten.subarray(0, keptBytes)
    if (lostLines === 0) return
    // The line that tells of dropped ones is none of them.
    this.#dropped += this.#reportedDropped > 0 ? lostLines - 1 + this.#reportedDropped : lostLines
    this.#reportedDropped = 0
  }
}
