/** Log lines reach the reader of a pipe complete and in order, or are counted as dropped. */
import { describe, expect, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { setImmediate } from "node:timers/promises"
import type { LogSink } from "../../src/observability/Logging.ts"
import * as LogWriter from "../../src/observability/LogWriter.ts"

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = Fs.constants

/** Both nonblocking ends of a pipe, and the text read from it. */
class Pipe {
  readonly writer: number
  text = ""
  #reader: number
  readonly #path: string
  readonly #piece = Buffer.alloc(64 * 1024)

  constructor(folder: string) {
    this.#path = Path.join(folder, "pipe")
    execFileSync("mkfifo", [this.#path])
    this.#reader = Fs.openSync(this.#path, O_RDONLY | O_NONBLOCK)
    this.writer = Fs.openSync(this.#path, O_WRONLY | O_NONBLOCK)
  }

  /** Takes all that is there. */
  read(): void {
    for (let length = 1; length > 0;) {
      try {
        length = Fs.readSync(this.#reader, this.#piece)
      } catch (error) {
        if (Object(error).code === "EAGAIN") return
        throw error
      }
      this.text += this.#piece.toString("latin1", 0, length)
    }
  }

  /** Reads on until the text ends so. */
  readTo(end: string): Effect.Effect<void> {
    return Effect.promise(async (signal) => {
      while (!signal.aborted && !this.text.endsWith(end)) {
        this.read()
        await setImmediate()
      }
    })
  }

  /** Closes the reading end until `reopen`. */
  closeReader(): void {
    Fs.closeSync(this.#reader)
  }

  reopen(): void {
    this.#reader = Fs.openSync(this.#path, O_RDONLY | O_NONBLOCK)
  }

  close(): void {
    Fs.closeSync(this.#reader)
    Fs.closeSync(this.writer)
  }
}

const pipe = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "quarry-log-"))
    return { folder, ends: new Pipe(folder) }
  }),
  ({ ends, folder }) =>
    Effect.sync(() => {
      ends.close()
      Fs.rmSync(folder, { recursive: true })
    })
)

/** A log over a full pipe, and a second log whose pipe is read: its lines show that the first was retried meanwhile. */
const start = Effect.gen(function*() {
  const { ends } = yield* pipe
  const { ends: beats } = yield* pipe
  const scope = yield* Scope.make()
  const sink = yield* Scope.extend(LogWriter.make(ends.writer), scope)
  const beat = yield* LogWriter.make(beats.writer)
  const attempts = Effect.repeatN(
    Effect.suspend(() => {
      beats.text = ""
      beat("beat")
      return beats.readTo("beat\n")
    }),
    3
  )
  return { ends, sink, tried: attempts, close: Scope.close(scope, Exit.void) }
})

const line = (number: number): string => `${number} ${"x".repeat(100 + number % 50)}`

const write = (sink: LogSink, count: number): void => {
  for (let number = 0; number < count; number++) sink(line(number))
}

const lines = (count: number): string =>
  Array.from({ length: count }, (_, number) => `${line(number)}\n`).join("")

const reportedDrops = (dropped: number): string =>
  `${JSON.stringify({ level: "warning", message: "log lines dropped", dropped })}\n`

/** Waits for many turns without a write under way. Were one tried again and again, there would be one in most turns. */
const quiet = Effect.promise(async (signal) => {
  for (let turns = 0; turns < 50 && !signal.aborted; turns++) {
    await setImmediate()
    if (process.getActiveResourcesInfo().includes("FSReqCallback")) turns = 0
  }
})

/** Lets no timer of a second or more end while the scope is open. */
const withoutTimeouts = Effect.acquireRelease(
  Effect.sync(() => {
    const { setTimeout } = globalThis
    const unlessLong = (callback: () => void, millis = 0) =>
      setTimeout(callback, millis < 1000 ? millis : 2 ** 31 - 1)
    return vi.spyOn(globalThis, "setTimeout").mockImplementation(
      Object.assign(unlessLong, { __promisify__: setTimeout.__promisify__ })
    )
  }),
  (spy) => Effect.sync(() => spy.mockRestore())
)

/** More than a pipe holds, and less than waits at most. */
const many = 5000

const concurrently = { concurrency: "unbounded", discard: true } as const

describe("a reader that pauses", () => {
  it.scopedLive("gets the current line and all waiting lines at shutdown", () =>
    Effect.gen(function*() {
      yield* withoutTimeouts
      const { close, ends, sink, tried } = yield* start
      write(sink, many)
      yield* tried
      sink("the last")
      yield* Effect.all([close, ends.readTo("the last\n")], concurrently)
      expect(ends.text === `${lines(many)}the last\n`).toBe(true)
    }))

  it.scopedLive("delays shutdown only for a limited time, and nothing follows an incomplete line", () =>
    Effect.gen(function*() {
      const { close, ends, sink, tried } = yield* start
      write(sink, many)
      yield* close
      sink("too late")
      ends.read()
      yield* tried
      ends.read()
      expect(ends.text.length).toBeGreaterThan(0)
      expect(lines(many).startsWith(ends.text)).toBe(true)
    }))
})

describe("the buffer of lines", () => {
  it.scopedLive("is limited in bytes, not in characters", () =>
    Effect.gen(function*() {
      const { ends, sink } = yield* start
      const mebi = 1024 * 1024
      sink("€".repeat(2 * mebi))
      sink("x".repeat(3 * mebi))
      yield* ends.readTo("}\n")
      expect(ends.text === `${"x".repeat(3 * mebi)}\n${reportedDrops(1)}`).toBe(true)
    }))
})

describe("a pipe without a reader", () => {
  it.scopedLive("gets all lines if a reader returns, the rest of an incomplete one first", () =>
    Effect.gen(function*() {
      yield* withoutTimeouts
      const { close, ends, sink, tried } = yield* start
      write(sink, many)
      yield* tried
      ends.read()
      expect(ends.text.endsWith("\n")).toBe(false)
      ends.closeReader()
      yield* tried
      yield* quiet
      ends.reopen()
      sink("read again")
      yield* Effect.all([close, ends.readTo("read again\n")], concurrently)
      expect(ends.text === `${lines(many)}read again\n`).toBe(true)
    }))

  it.scopedLive("does not delay shutdown", () =>
    Effect.gen(function*() {
      const { close, ends, sink } = yield* start
      ends.closeReader()
      write(sink, many)
      yield* withoutTimeouts
      yield* close
      ends.reopen()
      ends.read()
      expect(ends.text).toBe("")
    }))
})
