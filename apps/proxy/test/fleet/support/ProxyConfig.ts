/** Configuration files for the proxies of a fleet, and their clients. */
import * as Effect from "effect/Effect"
import * as Tokens from "../../../src/auth/Tokens.ts"
import * as FakeUpstream from "./FakeUpstream.ts"
import * as TempFolder from "./TempFolder.ts"

interface ClientOptions {
  readonly name: string
  /** Without a token the client is unusable, and the proxy logs a warning. */
  readonly token?: string
  readonly scopes?: ReadonlyArray<string>
  readonly rateLimit?: string
  readonly dailyQuota?: number
  readonly monthlyQuota?: number | { readonly soft?: number; readonly hard?: number }
}

export interface ProxyConfigOptions {
  /** The API key of the upstream. Default: `main`, without a rate limit. */
  readonly key?: { readonly name?: string; readonly rateLimit?: string; readonly dailyQuota?: number }
  readonly clients?: ReadonlyArray<ClientOptions>
  readonly shutdown?: { readonly delay?: string; readonly timeout?: string }
  /** Other keys of the section `upstream`. */
  readonly upstream?: object
  /** Other sections. */
  readonly other?: object
}

/** An API key, by its name. */
export const secretOf = (key: string): string => `secret-of-the-key-${key}`

/** JSON is valid YAML. */
const documentOf = (
  url: string,
  { clients = [], key: { name = "main", ...key } = {}, other, shutdown, upstream }: ProxyConfigOptions
): string =>
  JSON.stringify(
    {
      listen: { port: 0 },
      admin: { port: 0, open: "all" },
      upstream: {
        baseUrls: { data: url },
        keys: [{ name, secret: { file: `./${name}` }, rateLimit: "none", ...key }],
        ...upstream
      },
      ...(clients.length === 0 ? {} : {
        clients: clients.map(({ token, ...client }) => ({
          ...client,
          tokens: token === undefined ? [] : [Tokens.hash(token)]
        }))
      }),
      shutdown: { delay: "1s", timeout: "5s", ...shutdown },
      log: { requests: false },
      ...other
    },
    null,
    2
  )

/** Creates an upstream, and a folder with a configuration of proxies in front of it. */
export const folder = (first: ProxyConfigOptions = {}) =>
  Effect.gen(function*() {
    const upstream = yield* FakeUpstream.make
    const folder = yield* TempFolder.make
    const text = (options: ProxyConfigOptions) => documentOf(upstream.url, options)
    /** Writes a configuration, and its key. */
    const write = (file: string, options: ProxyConfigOptions) => {
      const name = options.key?.name ?? "main"
      return Effect.zipRight(folder.write(name, secretOf(name)), folder.write(file, text(options)))
    }
    return { upstream, folder, text, write, proxyFile: yield* write("proxy.yaml", first) }
  })
