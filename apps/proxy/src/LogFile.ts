/**
 * Lines on their way to standard error. A reader that is slow must not stop the proxy: lines are gathered and written
 * in the background, and where too many wait, or nothing can be written, the newest are dropped and counted. A line says
 * how many as soon as there is room. Lines are written whole and in order.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Fs from "node:fs"
import type { Sink } from "./Log.ts"

/** Characters that wait at most. */
const most = 4 * 1024 * 1024

/** Lines are written together that come within so many milliseconds. */
const gather = 50

/** A pipe that is full is tried again after so many milliseconds. */
const again = 10

/** At the end it is waited for the reader for so many milliseconds at most. */
const patience = 2000

/** Writes to an open file until the scope closes, and before that what waits then, if the reader takes it in time. */
export const make = (file: number): Effect.Effect<Sink, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(Effect.sync(() => new Pending(file)), (pending) => pending.close),
    (pending) => (line) => pending.add(line)
  )

const nothing = Buffer.alloc(0)

const lineFeed = 10

class Pending {
  #lines: Array<string> = []
  #size = 0
  #dropped = 0
  /** What is being written, as far as it is not. */
  #rest: Buffer = nothing
  /** That the file ends within a line, of which `#rest` begins with the end. */
  #begun = false
  /** Of how many dropped lines the last line of `#rest` tells. */
  #told = 0
  #writing = false
  #closed = false
  #timer: NodeJS.Timeout | undefined
  /** To be called when nothing waits, or nothing can be written. */
  #idle = (): void => {}

  readonly #file: number

  constructor(file: number) {
    this.#file = file
  }

  add(line: string): void {
    if (this.#closed) return
    if (this.#rest.byteLength + this.#size + line.length > most) {
      this.#dropped += 1
    } else {
      this.#lines.push(line)
      this.#size += line.length
    }
    this.#later(gather)
  }

  readonly close: Effect.Effect<void> = Effect.async((resume) => {
    const end = () => {
      clearTimeout(bound)
      clearTimeout(this.#timer)
      this.#closed = true
      resume(Effect.void)
    }
    const bound = setTimeout(end, patience)
    this.#idle = end
    this.#write()
  })

  #later(millis: number): void {
    this.#timer ??= setTimeout(() => this.#write(), millis).unref()
  }

  #write(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#writing || this.#closed) return
    if (this.#rest.byteLength === 0) this.#take()
    if (this.#rest.byteLength === 0) return this.#idle()
    this.#writing = true
    Fs.write(this.#file, this.#rest, (error, written) => {
      this.#writing = false
      if (error === null && written > 0) {
        this.#wrote(written)
        return this.#write()
      }
      if (this.#closed) return
      // The reader is slow, and the pipe full.
      if (error === null || error.code === "EAGAIN") return this.#later(again)
      this.#lose()
      // Tried again with the next line, so that a disk that was full is written to when there is room.
      return this.#lines.length > 0 ? this.#later(gather) : this.#idle()
    })
  }

  /** All that waits becomes what is being written. */
  #take(): void {
    if (this.#dropped > 0) {
      this.#lines.push(
        JSON.stringify({ level: "warning", message: "lines of the log were dropped", dropped: this.#dropped })
      )
    }
    this.#rest = this.#lines.length === 0 ? nothing : Buffer.from(`${this.#lines.join("\n")}\n`)
    this.#told = this.#dropped
    this.#lines = []
    this.#size = 0
    this.#dropped = 0
  }

  #wrote(bytes: number): void {
    this.#begun = this.#rest[bytes - 1] !== lineFeed
    this.#rest = this.#rest.subarray(bytes)
  }

  /** Drops the lines of what is being written, but for the end of one that was begun: no other may follow its torn half. */
  #lose(): void {
    const kept = this.#begun ? this.#rest.indexOf(lineFeed) + 1 : 0
    const lost = this.#rest.subarray(kept).reduce((count, byte) => byte === lineFeed ? count + 1 : count, 0)
    this.#rest = this.#rest.subarray(0, kept)
    if (lost === 0) return
    // The line that tells of dropped ones is none of them.
    this.#dropped += this.#told > 0 ? lost - 1 + this.#told : lost
    this.#told = 0
  }
}
