/** The startup banner: listeners, upstreams, clients, and commands to try. */
import { upstreamNames } from "@blockquarry/core/Upstreams"
import * as Effect from "effect/Effect"
import { AdminServer } from "../admin/AdminServer.ts"
import * as SampleCommands from "../admin/page/SampleCommands.ts"
import { allowsAnonymousClients, type Config, isLoopback } from "../config/Config.ts"
import { lacksBaseUrls, noBaseUrl } from "../config/CrossFieldChecks.ts"
import type { LoadedConfig } from "../config/Load.ts"
import { ActiveConfig } from "../pipeline/ActiveConfig.ts"
import { MainServer } from "../pipeline/MainServer.ts"
import { Upstreams } from "../upstream/Upstreams.ts"

const upstreamLines = (config: Config): ReadonlyArray<string> => {
  const { baseUrls, keys, sandbox } = config.upstream
  if (sandbox) return ["upstream: embedded sandbox (synthetic data)"]
  const baseUrlLines = upstreamNames.map((name) => `  ${name.padEnd(14)} ${baseUrls[name] ?? "not set"}`)
  const names = keys.map(({ name }) => name).join(", ")
  const heading = lacksBaseUrls(config) ? `upstream: ${noBaseUrl}` : "upstream:"
  return [heading, ...baseUrlLines, `  ${"keys".padEnd(14)} ${names === "" ? "not set" : names}`]
}

const clientsLine = (config: Config): string => {
  if (!allowsAnonymousClients(config)) return `clients: ${config.clients.map(({ name }) => name).join(", ")}`
  return isLoopback(config.listen.host)
    ? "clients: anonymous, loopback only"
    : "clients: anonymous (allowAnonymous); everyone who can connect uses your API key"
}

const storeLine = ({ redis }: Config): string =>
  redis === undefined
    ? "quotas and cache: in memory; set redis.url to share them"
    : "quotas and cache: shared through Redis"

/** Says how to get access to the admin listener if there is no terminal to print a token on. */
export const adminTokenHint = ({ files: [file] }: Pick<LoadedConfig, "files">): string =>
  `the admin listener requires a token, and none is configured; create one with quarry-proxy token NAME, and add its hash to admin.tokens in ${
    file ?? "a configuration file (--config)"
  }. A token is printed at startup only on a terminal`

export const text = (generatedToken: string | null) =>
  Effect.gen(function*() {
    const { config } = (yield* ActiveConfig).current()
    const { examples } = yield* Upstreams
    const port = (yield* MainServer).port() ?? 0
    const adminPort = (yield* AdminServer)?.port() ?? null
    const { listen, admin } = config
    const baseUrl = SampleCommands.displayOrigin(listen.host, port)
    return [
      `quarry-proxy is listening at ${baseUrl}`,
      ...upstreamLines(config),
      clientsLine(config),
      storeLine(config),
      "",
      "try:",
      ...SampleCommands.sampleCommands(config, port, examples).map((line) => `  ${line}`),
      "",
      `openapi:       ${baseUrl}/openapi.json`,
      ...(admin === null || adminPort === null
        ? []
        : [
          `status page:   ${SampleCommands.displayOrigin(admin.host, adminPort)}${
            generatedToken === null ? "" : `/#token=${generatedToken}`
          }`
        ]),
      "Press Ctrl-C to stop.",
      ""
    ].join("\n")
  })
