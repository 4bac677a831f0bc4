/** The proxy of this repository, as a process of its own: the program that is installed, not its sources. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { spawned } from "./Child.ts"
import * as TemporaryFolder from "./TemporaryFolder.ts"

/** The same place, whether seen from this file or from the bundle. */
const program = fileURLToPath(new URL("../../../apps/proxy/dist/quarry-proxy.js", import.meta.url))

/** What its configuration may say, besides what is said below. */
export interface Configuration {
  readonly clients?: ReadonlyArray<ReturnType<typeof client>>
  readonly cache?: { readonly enabled?: boolean; readonly maxBytes?: string }
}

export interface QuarryProxy {
  readonly pid: number
  readonly port: number
}

/** A client with budgets, of which there is more than anybody can use. */
export const client = (name: string, token: string) => ({
  name,
  tokens: [`sha256:${createHash("sha256").update(token).digest("hex")}`],
  limit: "100000000/s",
  perDay: 1_000_000_000_000
})

/** Starts it before a service, with everything standard but for the limit of requests to the service. */
export const start = (
  service: string,
  configuration: Configuration = {}
): Effect.Effect<QuarryProxy, never, Scope.Scope> =>
  Effect.gen(function*() {
    if (!existsSync(program)) {
      return yield* Effect.dieMessage(`there is no ${program}: make it with npx -y pnpm@10 build`)
    }
    // Whatever is JSON is YAML.
    const file = join(yield* TemporaryFolder.make, "quarry-proxy.yaml")
    writeFileSync(file, JSON.stringify(configuration))
    const { pid, said } = yield* spawned({
      name: "quarry-proxy",
      file: process.execPath,
      args: [program],
      env: {
        QUARRY_PROXY_CONFIG: file,
        QUARRY_PROXY_PORT: "0",
        QUARRY_PROXY_OPERATIONS: "off",
        QUARRY_BASE_URL: service,
        QUARRY_API_KEY: "bench",
        QUARRY_RATE_LIMIT: "none"
      }
    }, listening)
    return { pid, port: Number(listening.exec(said)?.[1]) }
  })

const listening = /listens at http:\/\/127\.0\.0\.1:(\d+)\n/
