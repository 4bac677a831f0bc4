/**
 * Lines on their way to standard error. A reader that is slow must not stop the proxy: lines are gathered and written
 * in the background, and where too many wait the newest are dropped and counted.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Fs from "node:fs"
import type { Sink } from "./Log.ts"

/** Characters that wait at most. */
const most = 4 * 1024 * 1024

/** Lines are written together that come within so many milliseconds. */
const gather = 50

/** Writes to an open file until the scope closes; what waits then is written before. */
export const make = (file: number): Effect.Effect<Sink, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Pending(file)),
      (pending) => Effect.sync(() => pending.flush())
    ),
    (pending) => (line) => pending.add(line)
  )

class Pending {
  #lines: Array<string> = []
  #size = 0
  #dropped = 0
  #writing = false
  #timer: NodeJS.Timeout | undefined

  readonly #file: number

  constructor(file: number) {
    this.#file = file
  }

  add(line: string): void {
    if (this.#size + line.length > most) {
      this.#dropped += 1
      return
    }
    this.#lines.push(line)
    this.#size += line.length
    this.#timer ??= setTimeout(() => this.#write(), gather).unref()
  }

  /** All that waits, as one text. */
  #take(): Buffer {
    if (this.#dropped > 0) {
      this.#lines.push(
        JSON.stringify({ level: "warning", message: "lines of the log were dropped", dropped: this.#dropped })
      )
    }
    const text = this.#lines.length === 0 ? "" : `${this.#lines.join("\n")}\n`
    this.#lines = []
    this.#size = 0
    this.#dropped = 0
    return Buffer.from(text)
  }

  #write(): void {
    this.#timer = undefined
    if (this.#writing) return
    this.#writing = true
    this.#rest(this.#take())
  }

  #rest(bytes: Buffer): void {
    Fs.write(this.#file, bytes, (error, written) => {
      // Nobody reads any more: there is nowhere to say so.
      if (error === null && written < bytes.byteLength) return this.#rest(bytes.subarray(written))
      this.#writing = false
      if (this.#lines.length > 0) this.#write()
    })
  }

  flush(): void {
    clearTimeout(this.#timer)
    try {
      Fs.writeSync(this.#file, this.#take())
    } catch {
      // As above.
    }
  }
}
