/** Fetches the cost table of the upstream at start. Never fatal: without it, the last one of the file or the built-in one applies. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { randomUUID } from "node:crypto"
import * as Weights from "../config/Weights.ts"
import { ActiveConfig } from "../pipeline/ActiveConfig.ts"
import * as PassThrough from "../pipeline/PassThrough.ts"
import { Quotas } from "../quota/Quotas.ts"

const path = "/api/v2.2/info/endpointWeights"

/** The name under which the proxy itself uses the upstream. */
const client = "proxy"

/** Fetches the table, saves it in the configured file and activates it. */
export const fetchCostTable: Effect.Effect<void, never, ActiveConfig | FileSystem.FileSystem | Quotas> =
  Effect
    .gen(function*() {
      const activeConfig = yield* ActiveConfig
      const { config, upstream } = activeConfig.current()
      const caller = {
        client: { name: client, weight: 1, share: 1 },
        memory: (yield* Quotas).limits.memoryOf(client, config),
        reservation: { sent: 0, onUsage: null },
        requestId: randomUUID()
      }
      const now = yield* Clock.currentTimeMillis
      const found = upstream.lookUp(PassThrough.ownRequest(path), "no-store", caller, now)
      const { response } = found._tag === "Hit" ? found.response : yield* found.send
      const text = new TextDecoder().decode(response.bytes)
      const weights = response.status === 200
        ? yield* Either.mapLeft(Weights.decode(text), (message) => ({ message }))
        : yield* Either.left({ message: `status ${response.status}` })
      const { file } = config.costTable
      if (file !== undefined) yield* save(file, text)
      const latest = activeConfig.current().config
      if (latest.costTable.fetch) yield* activeConfig.replace({ ...latest, weights })
      yield* Effect.logInfo(`cost table fetched: ${weights.length} paths`)
    }).pipe(
      Effect.catchAll(({ message }) => Effect.logWarning(`cost table not fetched: ${message}`)),
      Effect.catchAllCause((cause) => Effect.logWarning("cost table not fetched", cause))
    )

/** Replaces a file, so that a reader sees the old text or the new one. */
const save = (file: string, text: string): Effect.Effect<void, never, FileSystem.FileSystem> =>
  Effect.flatMap(
    FileSystem.FileSystem,
    (files) => Effect.zipRight(files.writeFileString(`${file}.new`, text), files.rename(`${file}.new`, file))
  ).pipe(Effect.catchAll(({ message }) => Effect.logWarning(`cost table not saved: ${message}`)))
