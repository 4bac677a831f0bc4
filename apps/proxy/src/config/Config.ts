/** The configuration as the proxy works with it: everything is read, checked and filled in. */
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"
import * as Net from "node:net"

/** The addresses of the service: the ledger has one for each of its networks. */
export const upstreamNames = ["data", "streams", "ledger", "ledgerTestnet"] as const

export type UpstreamName = (typeof upstreamNames)[number]

export interface Config {
  /** Where clients are served. */
  readonly listen: {
    /** Default: 127.0.0.1. */
    readonly host: string
    /** 0 takes a free one. Default: 8650. */
    readonly port: number
    /** Names that `Host` may have where there are no clients, besides localhost and IP addresses. */
    readonly allowedHosts: ReadonlyArray<string>
    /** Addresses and networks whose X-Forwarded-For is believed. */
    readonly trustedProxies: ReadonlyArray<string>
  }
  /** Where metrics, status and the like are served; null: nowhere. */
  readonly admin: {
    /** Default: 127.0.0.1. */
    readonly host: string
    /** 0 takes a free one. Default: 8651. */
    readonly port: number
    /** Hashes, as those of clients. Where there are none, only the machine itself may ask for what is confidential. */
    readonly tokens: ReadonlyArray<string>
  } | null
  /** The service behind the proxy. */
  readonly upstream: {
    /** Whether the embedded service takes the place of the one at the addresses. Default: false. */
    readonly sandbox: boolean
    /** Without the slash at the end, with the prefix of the API. */
    readonly baseUrls: { readonly [A in UpstreamName]: string | undefined }
    readonly keys: ReadonlyArray<UpstreamKey>
  }
  /** Who may ask. Where there is nobody, everybody may who reaches the proxy. */
  readonly clients: ReadonlyArray<ClientConfig>
  /** Said where there are no clients and others than this machine can reach the proxy. Default: false. */
  readonly allowAnonymous: boolean
  /** What a client may use. */
  readonly quotas: {
    /** `shadow` counts and says what it would refuse, and refuses nothing. Default: enforce. */
    readonly mode: "enforce" | "shadow"
    /** A request that would wait longer for its client's budget is refused at once. Default: 2 s. */
    readonly maxWait: Duration.Duration
    /** Requests of one client that wait. Default: 100. */
    readonly maxQueue: number
  }
  /** Answers that are kept in memory. */
  readonly cache: {
    /** Default: true. */
    readonly enabled: boolean
    /** Default: 64 MiB. */
    readonly maxBytes: number
    /** For so long after its time an answer is still given, while a new one is fetched. Default: 5 s. */
    readonly staleWhileRevalidate: Duration.Duration
    /** For so long after its time an answer is still given, where the service fails. Default: 1 m. */
    readonly staleIfError: Duration.Duration
  }
  /** What several proxies share; null: this one is alone. */
  readonly redis: {
    /** May hold a password. */
    readonly url: Redacted.Redacted
    /** What every key begins with. Default: `quarry:`. */
    readonly keyPrefix: string
    /** How many processes share the budgets, for the time that Redis is away. Default: 4. */
    readonly expectedProxies: number
  } | null
  /** What one process takes on. */
  readonly limits: {
    /** Requests that are answered at once. Default: 512. */
    readonly maxConcurrentRequests: number
    /** Open connections. Default: 4096. */
    readonly maxConnections: number
    /** Bytes of a request's headers. Default: 16 KiB. */
    readonly maxHeaderBytes: number
    /** Bytes of a request's path and query. Default: 8 KiB. */
    readonly maxUrlBytes: number
    /** Bytes of a request's body. Default: 64 KiB. */
    readonly maxRequestBytes: number
    /** Bytes of an answer of the service. Default: 16 MiB. */
    readonly maxResponseBytes: number
    /** A request must be in by then. Default: 10 s. */
    readonly requestTimeout: Duration.Duration
    /** A client that reads nothing of its answer for so long is let go. Default: 30 s. */
    readonly sendIdleTimeout: Duration.Duration
  }
  /** How the proxy stops. */
  readonly shutdown: {
    /** For so long it says that it is about to stop, and still takes requests. Default: 5 s. */
    readonly delay: Duration.Duration
    /** For so long requests that were taken may go on then. Default: 20 s. */
    readonly timeout: Duration.Duration
  }
  readonly log: {
    /** Default: info. */
    readonly level: LogLevel
    /** Whether each request is a line. Default: true. */
    readonly requests: boolean
  }
}

/** A key of the service, and how much may be asked with it. */
export interface UpstreamKey {
  /** Unique among the keys. */
  readonly name: string
  readonly secret: Redacted.Redacted
  /** Units per time that are sent with it. Default: 100/s. */
  readonly rateLimit: RateLimit.RateLimit
  /** Units per UTC day; null: as many as there may be. */
  readonly dailyQuota: number | null
  /** What it is good for. Default: every address. */
  readonly upstreams: ReadonlyArray<UpstreamName>
}

/** Somebody who may ask. */
export interface ClientConfig {
  /** Unique among the clients, and not `open`. */
  readonly name: string
  /** `sha256:` and 64 hexadecimal digits each. Several, so that a token can be replaced while both are good. */
  readonly tokens: ReadonlyArray<string>
  /** `reads`, `changes`, or ids of operations. Default: reads. */
  readonly scopes: ReadonlyArray<string>
  /** Addresses and networks it may come from; empty: from anywhere. */
  readonly allowedCidrs: ReadonlyArray<string>
  /** Units in a window of so many milliseconds; null: no limit of its own. */
  readonly rateLimit: { readonly limit: number; readonly window: number } | null
  /** Units per UTC day; null: as many as there may be. */
  readonly dailyQuota: number | null
}

export const quotaModes = ["enforce", "shadow"] as const

export const logLevels = ["debug", "info", "warning", "error"] as const

export type LogLevel = (typeof logLevels)[number]

/** What is so of a key where nothing is said. */
export const keyDefaults: Pick<UpstreamKey, "rateLimit" | "dailyQuota" | "upstreams"> = {
  rateLimit: RateLimit.standard,
  dailyQuota: null,
  upstreams: upstreamNames
}

/** What is so of a client where nothing is said. */
export const clientDefaults: Pick<ClientConfig, "scopes" | "allowedCidrs" | "rateLimit" | "dailyQuota"> = {
  scopes: ["read"],
  allowedCidrs: [],
  rateLimit: null,
  dailyQuota: null
}

/** What is so of Redis where only its address is said. */
export const redisDefaults = { keyPrefix: "quarry:", expectedProxies: 4 } as const

/** What is so where operations are wanted. */
export const adminDefaults = { host: "127.0.0.1", port: 8651, tokens: [] } as const

/** What is so where nothing is said. */
export const defaults: Config = {
  listen: { host: "127.0.0.1", port: 8650, allowedHosts: [], trustedProxies: [] },
  admin: adminDefaults,
  upstream: {
    sandbox: false,
    baseUrls: { data: undefined, streams: undefined, ledger: undefined, ledgerTestnet: undefined },
    keys: []
  },
  clients: [],
  allowAnonymous: false,
  quotas: { mode: "enforce", maxWait: Duration.seconds(2), maxQueue: 100 },
  cache: {
    enabled: true,
    maxBytes: 64 * 1024 * 1024,
    staleWhileRevalidate: Duration.seconds(5),
    staleIfError: Duration.minutes(1)
  },
  redis: null,
  limits: {
    maxConcurrentRequests: 512,
    maxConnections: 4096,
    maxHeaderBytes: 16 * 1024,
    maxUrlBytes: 8 * 1024,
    maxRequestBytes: 64 * 1024,
    maxResponseBytes: 16 * 1024 * 1024,
    requestTimeout: Duration.seconds(10),
    sendIdleTimeout: Duration.seconds(30)
  },
  shutdown: { delay: Duration.seconds(5), timeout: Duration.seconds(20) },
  log: { level: "info", requests: true }
}

/** Whether only this machine reaches what listens there. */
export const isLoopback = (host: string): boolean =>
  host.toLowerCase() === "localhost" || (Net.isIP(host) !== 0 && loopback.check(host, family(host)))

const family = (address: string): "ipv4" | "ipv6" => Net.isIPv6(address) ? "ipv6" : "ipv4"

const loopback = new Net.BlockList()
loopback.addSubnet("127.0.0.0", 8, "ipv4")
loopback.addAddress("::1", "ipv6")

/** Whether everybody may ask who reaches the proxy. */
export const allowsAnonymousClients = (config: Pick<Config, "clients">): boolean =>
  config.clients.length === 0
