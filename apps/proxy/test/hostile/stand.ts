/** A real proxy over a real service, both on sockets: what is seen is what goes over the wire. */
import { all } from "@blockquarry/core/operations/index"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Backend from "../../src/Backend.ts"
import { type Config, defaults, keyDefaults } from "../../src/Config/Config.ts"
import * as Log from "../../src/Log.ts"
import * as Proxy from "../../src/Proxy.ts"
import { client } from "../support/proxy.ts"
import * as Service from "./service.ts"

export const token = "token-of-a-client"

/** By the first step of what is sent: the keys of the data, and of all else. */
const keys: Keys = { data: "key-of-the-data", others: "key-of-the-others" }

export interface Options {
  /** With named clients, or open to everybody. */
  readonly open?: boolean
  readonly config?: Partial<Config>
  readonly limits?: Partial<Config["limits"]>
  readonly keys?: Keys
  /** Whether there are spans around requests. */
  readonly traced?: boolean
}

export interface Keys {
  readonly data: string
  readonly others: string
}

/** Milliseconds in which a request has to be in. */
const receive = 400

const configured = (
  { config, keys: given = keys, limits, open = false }: Options,
  service: number
): Config => {
  const base = `http://127.0.0.1:${service}`
  return {
    ...defaults,
    listen: { ...defaults.listen, port: 0 },
    operations: null,
    upstream: {
      sandbox: false,
      addresses: { data: base, streams: base, ledger: `${base}/v1`, ledgerTestnet: `${base}/testnet/v1` },
      keys: [
        {
          ...keyDefaults,
          name: "data",
          secret: Redacted.make(given.data),
          limit: RateLimit.none,
          addresses: ["data"]
        },
        {
          ...keyDefaults,
          name: "others",
          secret: Redacted.make(given.others),
          limit: RateLimit.none,
          addresses: ["streams", "ledger", "ledgerTestnet"]
        }
      ]
    },
    clients: open ? [] : [client("one", token, { scopes: ["reads", "changes"] })],
    cache: { ...defaults.cache, enabled: false },
    drain: { announce: Duration.zero, grace: Duration.zero },
    ...config,
    limits: { ...defaults.limits, receive: Duration.millis(receive), ...limits }
  }
}

export const start = (options: Options = {}) =>
  Effect.gen(function*() {
    const service = yield* Service.make
    const config = configured(options, service.port)
    const lines: Array<string> = []
    const waiting = new Set<() => void>()
    const sink = (line: string) => {
      lines.push(line)
      for (const one of waiting) one()
    }
    const running = yield* Proxy.serve({
      config,
      backend: yield* Backend.fromConfig(config),
      version: "0.0.0-test",
      sink,
      style: "json",
      isTraced: options.traced ?? false,
      announce: Effect.succeed(0),
      tries: () => []
    }).pipe(Effect.provide(Log.layer(sink, "json", "debug")))
    /** Waits until so many requests ended with a status. */
    const ended = (status: number, count: number): Effect.Effect<void> =>
      Effect.async((resume) => {
        const one = () => {
          if (lines.filter((line) => line.includes(`"status":${status},`)).length < count) return
          waiting.delete(one)
          resume(Effect.void)
        }
        waiting.add(one)
        one()
        return Effect.sync(() => void waiting.delete(one))
      })
    return { ...running, config, ended, lines, service }
  })

/** The bases of the addresses, and whose keys go there, by the API. */
const bases = {
  data: [["/api/v2.2", "data"]],
  streams: [["", "others"]],
  ledger: [["/v1", "others"], ["/testnet/v1", "others"]]
} as const

/** How a path of an operation looks where it was written canonically: no step is empty, and none needs a second look. */
const canonical = all.flatMap(({ api, method, path }) =>
  bases[api].map(([base, owner]) => ({
    method,
    owner,
    path: new RegExp(
      `^${(base + path).replaceAll(".", "\\.").replaceAll(/:\w+/g, "(?!\\.\\.?(?:/|$))[\\w!'()*.~%-]+")}$`
    )
  }))
)

/** What of a request to the service is not as it must be; null: it is as we write them. */
export const strange = (request: string, service: number, given: Keys = keys): string | null => {
  const [head = "", body = ""] = request.split("\r\n\r\n")
  const [line = "", ...headers] = head.split("\r\n")
  const [method = "", target = "", version] = line.split(" ")
  if (version !== "HTTP/1.1") return `version of ${line}`
  const [path = "", query = ""] = target.split("?")
  const known = canonical.find((one) => one.method === method && one.path.test(path))
  if (known === undefined) return `not canonical: ${line}`
  if (!/^[\w!'()*.~%=&-]*$/.test(query)) return `query of ${line}`
  if (/%2f|%5c|%2e|%0|%1/i.test(path)) return `an escape in ${path}`
  const expected = [
    `host: 127.0.0.1:${service}`,
    "connection: keep-alive",
    "accept: application/json",
    `x-api-key: ${given[known.owner]}`,
    ...(method === "POST" ? ["content-type: application/json", `content-length: ${body.length}`] : [])
  ]
  const others = headers.map((one) => one.replace(/^[^:]*/, (name) => name.toLowerCase())).sort()
  if (JSON.stringify(others) !== JSON.stringify([...expected].sort())) {
    return `headers: ${JSON.stringify(headers)}`
  }
  return method === "GET" && body !== "" ? `a body: ${body}` : null
}
