/** Records the commands that a Redis server receives, by `MONITOR`. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Redis } from "ioredis"
import type { RedisServer } from "../../support/RedisServer.ts"

export interface Commands {
  /** Runs an effect and returns its commands, one line each, including those that scripts execute. */
  readonly of: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<ReadonlyArray<string>, E, R>
}

interface RecordedCommand {
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

/** Replaces arguments that change between runs: script bodies, their digests, and times. */
const normalize = (names: Map<string, string>) => (word: string): string => {
  if (/redis\.p?call\(/.test(word)) return "<script>"
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(word)) return "<process>"
  if (/^[0-9a-f]{40}$/.test(word)) {
    const name = names.get(word) ?? `<script-${names.size + 1}>`
    names.set(word, name)
    return name
  }
  // Times of the server's clock, with a resolution of microseconds
  return word.replace(/^(\(?)1[6-9]\d{11}(\.\d+)?$/, "$1<time>")
    // Versions start from the same clock, in microseconds
    .replaceAll(/\b1[6-9]\d{14}(?=$|\{)/g, "<version>")
}

/** Whether an argument depends on the time of the command: TTLs, and the first field of a hash. */
const isTimeDependent = ([name]: ReadonlyArray<string>, at: number): boolean =>
  (name === "PEXPIRE" && at === 2) || (name === "HSET" && at === 3)

const quoted = (word: string): string => /^[\w:.<>*[\]-]+$/.test(word) ? word : `'${word}'`

/** Records until the scope closes. Connect every other client first, because its handshake would be recorded. */
export const listen = (server: RedisServer): Effect.Effect<Commands, never, Scope.Scope> =>
  Effect.gen(function*() {
    const marker = yield* connect(server.port)
    const monitoring = yield* connect(server.port)
    const monitor = yield* Effect.acquireRelease(
      Effect.promise(() => monitoring.monitor()),
      (client) => Effect.sync(() => client.disconnect())
    )
    const recorded: Array<RecordedCommand> = []
    const markers = new Map<string, () => void>()
    const names = new Map<string, string>()
    monitor.on("monitor", (_: string, words: ReadonlyArray<string>, source: string) => {
      const onMarker = words[0]?.toLowerCase() === "echo" ? markers.get(words[1] ?? "") : undefined
      if (onMarker !== undefined) onMarker()
      // Only the inspector of the tests lists keys
      else if (words[0]?.toLowerCase() !== "keys") recorded.push({ source, words })
    })
    let number = 0
    /** Completes when all commands that were sent before are recorded. */
    const caughtUp = Effect.async<void>((resume) => {
      const text = `marker-${number += 1}`
      markers.set(text, () => resume(Effect.void))
      void marker.echo(text)
    })
    return {
      of: (effect) =>
        Effect.gen(function*() {
          yield* caughtUp
          recorded.length = 0
          yield* effect
          yield* caughtUp
          return recorded.map(({ source, words }) => {
            const byScript = source === "lua"
            const line = words
              .map((word, at) => at === 0 ? word.toUpperCase() : word)
              .map((word, at, all) =>
                byScript && isTimeDependent(all, at) ? "<number>" : normalize(names)(word)
              )
              .map(quoted)
              .join(" ")
            return byScript ? `  by script: ${line}` : line
          })
        })
    }
  })
