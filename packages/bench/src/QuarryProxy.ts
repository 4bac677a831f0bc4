/** The proxy of this repository, as a process of its own: the program that is installed, not its sources. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { spawnProgram } from "./ChildProgram.ts"
import * as TemporaryDirectory from "./TemporaryDirectory.ts"

/** The same place, whether seen from this file or from the bundle. */
const proxyPath = fileURLToPath(new URL("../../../apps/proxy/dist/quarry-proxy.js", import.meta.url))

/** What its configuration may say, besides what is said below. */
export interface ProxyConfiguration {
  readonly clients?: ReadonlyArray<ReturnType<typeof clientConfig>>
  readonly cache?: { readonly enabled?: boolean; readonly maxBytes?: string }
}

export interface QuarryProxy {
  readonly pid: number
  readonly port: number
}

/** A client with budgets, of which there is more than anybody can use. */
export const clientConfig = (name: string, token: string) => ({
  name,
  tokens: [`sha256:${createHash("sha256").update(token).digest("hex")}`],
  rateLimit: "100000000/s",
  dailyQuota: 1_000_000_000_000
})

/** Starts it before a service, with everything standard but for the limit of requests to the service. */
export const startProxy = (
  upstreamUrl: string,
  configuration: ProxyConfiguration = {}
): Effect.Effect<QuarryProxy, never, Scope.Scope> =>
  Effect.gen(function*() {
    if (!existsSync(proxyPath)) {
      return yield* Effect.dieMessage(`there is no ${proxyPath}: make it with npx -y pnpm@10 build`)
    }
    // Whatever is JSON is YAML.
    const file = join(yield* TemporaryDirectory.makeTemporaryDirectory, "quarry-proxy.yaml")
    writeFileSync(file, JSON.stringify(configuration))
    const { pid, output: said } = yield* spawnProgram({
      name: "quarry-proxy",
      file: process.execPath,
      args: [proxyPath],
      env: {
        QUARRY_PROXY_CONFIG: file,
        QUARRY_PROXY_PORT: "0",
        QUARRY_PROXY_ADMIN: "off",
        QUARRY_BASE_URL: upstreamUrl,
        QUARRY_API_KEY: "bench",
        QUARRY_RATE_LIMIT: "none"
      }
    }, listeningPattern)
    return { pid, port: Number(listeningPattern.exec(said)?.[1]) }
  })

const listeningPattern = /listens at http:\/\/127\.0\.0\.1:(\d+)\n/
