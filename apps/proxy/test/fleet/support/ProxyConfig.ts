/** Configuration files for the proxies of a fleet, and their clients. */
import { createHash } from "node:crypto"

export interface ClientOptions {
  readonly name: string
  /** Without a token the client is unusable, and the proxy logs a warning. */
  readonly token?: string
  readonly rateLimit?: string
  readonly dailyQuota?: number
}

interface KeyOptions {
  readonly name: string
  /** The file with the key. */
  readonly file: string
  readonly rateLimit?: string
}

export interface ProxyConfigOptions {
  readonly url: string
  readonly keys: ReadonlyArray<KeyOptions>
  readonly clients?: ReadonlyArray<ClientOptions>
  readonly shutdownDelay?: string
  readonly shutdownTimeout?: string
  /** Other sections. */
  readonly other?: object
}

/** JSON is valid YAML. */
export const configDocument = (
  { shutdownDelay = "1s", clients = [], shutdownTimeout = "5s", keys, other, url }: ProxyConfigOptions
): string =>
  JSON.stringify(
    {
      listen: { port: 0 },
      admin: { port: 0, open: "all" },
      upstream: {
        baseUrls: { data: url },
        keys: keys.map(({ file, rateLimit = "none", name }) => ({ name, secret: { file }, rateLimit }))
      },
      ...(clients.length === 0 ? {} : {
        clients: clients.map(({ token, ...client }) => ({
          ...client,
          tokens: token === undefined ? [] : [`sha256:${createHash("sha256").update(token).digest("hex")}`]
        }))
      }),
      shutdown: { delay: shutdownDelay, timeout: shutdownTimeout },
      log: { requests: false },
      ...other
    },
    null,
    2
  )
