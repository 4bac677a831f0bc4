/** Starts the bundled quarry-proxy in its own process. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { apiKey } from "./Library.ts"
import { makeTemporaryDirectory, pathTo, startProgram } from "./Processes.ts"
import type { Server } from "./Servers.ts"

const proxyPath = pathTo("apps/proxy/dist/quarry-proxy.js")

/** The configuration file. Environment variables set the rest. */
export interface ProxyConfiguration {
  readonly clients?: ReadonlyArray<ReturnType<typeof clientConfig>>
  readonly cache?: { readonly enabled?: boolean; readonly maxBytes?: string }
  readonly limits?: { readonly maxListsPerClient?: number }
  readonly upstream?: { readonly timeouts: Readonly<Record<string, string>> }
}

export interface QuarryProxy {
  readonly pid: number
  readonly port: number
}

/** A client with quotas that no benchmark reaches. */
export const clientConfig = (name: string, token: string) => ({
  name,
  tokens: [`sha256:${createHash("sha256").update(token).digest("hex")}`],
  rateLimit: "100000000/s",
  dailyQuota: 1_000_000_000_000
})

/** As long as the tokens of `quarry-proxy token`. */
const token = "qp_bench-token-0123456789abcdef0123456789abcdefg"

/** Starts the proxy as users do, with a client, whose token and quotas every request uses. */
export const startServer = (
  name: string,
  upstreamUrl: string,
  configuration: ProxyConfiguration = {}
): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.map(
    start(upstreamUrl, { ...configuration, clients: [clientConfig("bench", token)] }),
    ({ pid, port }) => ({ name, pid, port, headers: { "x-api-key": token } })
  )

/** Starts the proxy with defaults, without a rate limit of upstream requests. */
export const start = (
  upstreamUrl: string,
  configuration: ProxyConfiguration = {}
): Effect.Effect<QuarryProxy, never, Scope.Scope> =>
  Effect.gen(function*() {
    if (!existsSync(proxyPath)) {
      return yield* Effect.dieMessage(`${proxyPath} not found: run npx -y pnpm@10 build`)
    }
    // JSON is valid YAML
    const file = join(yield* makeTemporaryDirectory, "quarry-proxy.yaml")
    writeFileSync(file, JSON.stringify(configuration))
    const { pid, output } = yield* startProgram({
      args: [proxyPath],
      env: {
        QUARRY_PROXY_CONFIG: file,
        QUARRY_PROXY_PORT: "0",
        QUARRY_PROXY_ADMIN: "off",
        QUARRY_BASE_URL: upstreamUrl,
        QUARRY_API_KEY: apiKey,
        QUARRY_RATE_LIMIT: "none"
      }
    }, listeningPattern)
    return { pid, port: Number(listeningPattern.exec(output)?.[1]) }
  })

const listeningPattern = /is listening at http:\/\/127\.0\.0\.1:(\d+)\n/
