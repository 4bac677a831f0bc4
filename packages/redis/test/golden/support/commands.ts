/** The commands that a Redis server receives, by MONITOR. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Redis } from "ioredis"
import type { RedisServer } from "../../support/RedisServer.ts"

export interface Commands {
  /** The commands that an effect has sent, one line each, and what was done by scripts. */
  readonly of: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<ReadonlyArray<string>, E, R>
}

interface Heard {
  readonly source: string
  readonly words: ReadonlyArray<string>
}

const connect = (port: number) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      new Redis({ port, host: "127.0.0.1", disableClientInfo: true, enableReadyCheck: false })
    ),
    (client) => Effect.sync(() => client.disconnect())
  )

/** Arguments without what changes between runs: script bodies, their digests, and times. */
const normalised = (names: Map<string, string>) => (word: string): string => {
  if (word.includes("redis.call(")) return "<script>"
  if (/^[0-9a-f]{40}$/.test(word)) {
    const name = names.get(word) ?? `<script-${names.size + 1}>`
    names.set(word, name)
    return name
  }
  // Moments of the server's clock, to the microsecond
  return word.replace(/^1[6-9]\d{11}(\.\d+)?$/, "<time>")
}

/** Numbers that depend on how fast commands follow each other, or on the date: lives, and the first field of a hash. */
const isTimed = (words: ReadonlyArray<string>, at: number): boolean =>
  (words[0] === "PEXPIRE" && at === 2) || (words[0] === "HSET" && at === 3)

const spelled = (word: string): string => /^[\w:.<>*[\]-]+$/.test(word) ? word : `'${word}'`

/** Listens until the scope closes. Other connections exist by then, for those that say hello are heard too. */
export const listen = (server: RedisServer): Effect.Effect<Commands, never, Scope.Scope> =>
  Effect.gen(function*() {
    const sentinel = yield* connect(server.port)
    const ear = yield* connect(server.port)
    const monitor = yield* Effect.acquireRelease(
      Effect.promise(() => ear.monitor()),
      (client) => Effect.sync(() => client.disconnect())
    )
    const heard: Array<Heard> = []
    const ends = new Map<string, () => void>()
    const names = new Map<string, string>()
    monitor.on("monitor", (_: string, words: ReadonlyArray<string>, source: string) => {
      const end = words[0]?.toLowerCase() === "echo" ? ends.get(words[1] ?? "") : undefined
      if (end !== undefined) end()
      // Tests look for keys; stores never do
      else if (words[0]?.toLowerCase() !== "keys") heard.push({ source, words })
    })
    let number = 0
    /** Done once everything has been heard that was sent before. */
    const caughtUp = Effect.async<void>((resume) => {
      const word = `end-${number += 1}`
      ends.set(word, () => resume(Effect.void))
      void sentinel.echo(word)
    })
    return {
      of: (effect) =>
        Effect.gen(function*() {
          yield* caughtUp
          heard.length = 0
          yield* effect
          yield* caughtUp
          return heard.map(({ source, words }) => {
            const byScript = source === "lua"
            const line = words
              .map((word, at) => at === 0 ? word.toUpperCase() : word)
              .map((word, at, all) => byScript && isTimed(all, at) ? "<number>" : normalised(names)(word))
              .map(spelled)
              .join(" ")
            return byScript ? `  by script: ${line}` : line
          })
        })
    }
  })
