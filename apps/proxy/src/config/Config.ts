/**
 * The configuration: every key once, with its type, default, description, environment variable and whether a change
 * requires a restart. Everything else about a key is derived from this schema.
 */
import * as Operations from "@blockquarry/core/Operations"
import { baseUrlSettings, type UpstreamName, upstreamNames } from "@blockquarry/core/Upstreams"
import * as CircuitBreaker from "@blockquarry/http/CircuitBreaker"
import * as RateLimit from "@blockquarry/http/RateLimit"
import * as Duration from "effect/Duration"
import * as Rec from "effect/Record"
import * as Schema from "effect/Schema"
import * as Net from "node:net"
import { key, keysOf, list, optionalKey, optionalSection, requiredKey, section } from "./ConfigKey.ts"
import * as Variables from "./EnvironmentVariables.ts"
import * as Values from "./ValueSchemas.ts"
import { WeightsFile } from "./Weights.ts"

const { minutes, seconds } = Duration
const kibibyte = 1024
const mebibyte = 1024 * kibibyte
const { proxyVariables } = Variables
const { Flag, Name, NonNegativeInteger, PositiveInteger, PositiveTimeout, Share, Size, Timeout } = Values
const restart = { restart: true } as const
const sensitive = { sensitive: true } as const

const ListenSection = Schema.Struct({
  host: key(Values.Host, "127.0.0.1", "Host name or IP address to listen on.", {
    ...restart,
    variable: Variables.text(proxyVariables.host)
  }),
  port: key(Values.Port, 8650, "Port to listen on; 0 chooses a free port.", {
    ...restart,
    variable: Variables.integer(proxyVariables.port)
  }),
  allowedHosts: key(
    Values.HostNames,
    [],
    "Host names accepted in the Host header, or in a target in absolute form, if clients is empty, besides localhost and IP addresses. Protects against DNS rebinding."
  ),
  trustedProxies: key(
    Values.Cidrs,
    [],
    "Proxies (IPs or CIDRs) whose X-Forwarded-For, and https in absolute targets, are trusted."
  )
})

const AdminSection = Schema.Union(
  Schema.transformLiteral("off", null),
  Schema.Struct({
    host: key(Values.Host, "127.0.0.1", "Host name or IP address to listen on.", restart),
    port: key(Values.Port, 8651, "Port to listen on; 0 chooses a free port.", restart),
    tokens: key(
      Values.Tokens,
      [],
      "Token hashes, as printed by quarry-proxy token NAME, with times as those of clients. If empty, a token that is valid until the process ends is printed at startup on a terminal.",
      sensitive
    ),
    open: key(
      Values.AdminOpen,
      "none",
      "What requires no token, besides /livez and /readyz: none, metrics (/metrics), or all (also /status.json, /usage and /purge, for everyone who can connect).",
      restart
    )
  })
).annotations({
  description: "off, or a section with the keys host, port, tokens and open (as a variable: host:port)"
})

const baseUrl = (name: UpstreamName, example: string, description: string) =>
  optionalKey(Values.baseUrl(name), example, description, {
    ...sensitive,
    variable: Variables.text(baseUrlSettings[name].variable)
  })

const BaseUrlsSection = Schema.Struct({
  data: baseUrl("data", "https://data.example.com", "Data API."),
  streams: baseUrl("streams", "https://streams.example.com", "Streams API."),
  ledger: baseUrl("ledger", "https://ledger.example.com", "Ledger API, main network."),
  ledgerTestnet: baseUrl("ledgerTestnet", "https://testnet.example.com", "Ledger API, test network.")
})

const UpstreamKeySection = Schema.Struct({
  name: requiredKey(Name, "main", "Unique name of the key in logs and metrics."),
  secret: requiredKey(
    Values.ApiKey,
    { file: "/run/secrets/quarry-key" },
    "Where to read the API key, of at least 16 characters, from: a file, or an environment variable ({ env: NAME }).",
    sensitive
  ),
  rateLimit: key(Values.KeyRate, RateLimit.standard, "Units per time sent with this key, or none."),
  dailyQuota: key(Values.DailyQuota, null, "Units per UTC day sent with this key, or none."),
  upstreams: key(Values.Upstreams, upstreamNames, "Upstreams that this key is used for.")
})

const TimeoutsSection = Schema.Struct({
  attempt: key(PositiveTimeout, seconds(10), "Maximum time of one request to the upstream."),
  call: key(
    PositiveTimeout,
    seconds(22),
    "Maximum time of a call, with its retries and waits. With quotas.maxWait it should stay below the timeout of the load balancer, usually 30s."
  )
})

const RetrySection = Schema.Struct({
  attempts: key(PositiveInteger, 4, "Maximum number of requests per call, including the first."),
  baseDelay: key(
    Timeout,
    Duration.millis(200),
    "Upper bound of the first backoff. It doubles with each retry. After a 429 it is five times as long."
  ),
  maxDelay: key(Timeout, seconds(10), "Upper bound of every backoff.")
})

const breaker = CircuitBreaker.standard

const CircuitBreakerSection = Schema.Struct({
  threshold: key(Share, breaker.threshold, "Share of failed requests at which it opens."),
  minimum: key(PositiveInteger, breaker.minimum, "Minimum number of requests in the window."),
  window: key(PositiveTimeout, seconds(30), "Length of the sliding window."),
  openDuration: key(PositiveTimeout, seconds(5), "How long it stays open at first."),
  maxOpenDuration: key(
    PositiveTimeout,
    minutes(1),
    "How long it stays open at most. Doubles up to this value."
  )
})

const UpstreamSection = Schema.Struct({
  sandbox: key(Flag, false, "Sandbox mode: synthetic data, not from any real blockchain.", {
    ...restart,
    variable: Variables.flag(proxyVariables.sandbox)
  }),
  baseUrls: section(BaseUrlsSection, "Base URLs. Requests to an API without a base URL fail with 503."),
  keys: list(UpstreamKeySection, "API keys. Requests are distributed among the keys that have units left."),
  maxConcurrentRequests: key(PositiveInteger, 64, "Maximum number of requests in flight per base URL."),
  maxWait: key(
    Values.QueueWait,
    seconds(5),
    "Maximum time a request waits for the rate limit of a key or for maxConcurrentRequests."
  ),
  maxQueue: key(NonNegativeInteger, 100, "Maximum number of waiting requests per client and base URL."),
  timeouts: section(TimeoutsSection, "Timeouts."),
  retry: section(RetrySection, "Retries of failed requests, with exponential backoff and jitter."),
  circuitBreaker: section(CircuitBreakerSection, "Stops requests to a failing upstream, per base URL."),
  weightHeader: key(
    Values.WeightHeader,
    "x-request-weight",
    "Response header with the price of a request, to which quotas are settled, or none."
  ),
  forwardHeaders: key(
    Flag,
    false,
    "Whether clients get the weight header and the x-rate-limit headers of the upstream."
  )
})

const CostsSection = Schema.Struct(
  Rec.map(
    { ...Operations.dataOperations, ...Operations.streamsOperations, ...Operations.ledgerOperations },
    ({ cost, docs, per, price }) =>
      key(
        Values.Cost,
        null,
        `${docs.summary}. In the built-in table: { price: ${price}, rateCost: ${cost} }${
          per === undefined ? "" : `, the price for each of at most ${per.maxItems} ${per.parameter}`
        }.`
      )
  )
)

const CostTableSection = Schema.Struct({
  file: optionalKey(
    WeightsFile,
    "./weights.json",
    "File with the table of the upstream: the JSON of its /info/endpointWeights."
  )
})

const PassThroughRuleSection = Schema.Struct({
  name: requiredKey(Values.RuleName, "net-worth", "Unique name of the rule in logs, metrics and costs."),
  method: key(Values.Method, "GET", "GET, POST, PUT, PATCH or DELETE. A rule for GET is for HEAD, too."),
  path: requiredKey(
    Values.PathPattern,
    "/api/v2.2/wallets/:address/net-worth",
    "Path of the requests. :name is any segment, and * at the end any rest."
  ),
  api: key(Values.Upstream, "data", "Upstream: data, streams, ledger or ledgerTestnet."),
  cost: key(
    Values.Cost,
    null,
    "Costs of a request: a price in units, { price: 250, rateCost: 25 }, or with per: { parameter: limit, maxItems: 100 } for each of at most 100 items, or table: those of the path or, if the table does not have it, the highest ones."
  ),
  cacheTtl: key(Values.CacheTtl, null, "How long responses to GET are cached, or none."),
  retry: key(Flag, false, "Whether a failed request is retried. A request that changes data must not be."),
  clients: key(
    Values.ClientNames,
    [],
    "Names of the clients that may use the rule; anonymous if clients is empty. If this list is empty, a rule for GET is for all clients with the scope passthrough and without chains and contracts, and another for none."
  )
})

const PassThroughSection = Schema.Struct({
  default: key(
    Values.PassThroughDefault,
    "reads",
    "Requests without a rule. reads: GET below /api/v2.2 for clients with the scope passthrough and without chains and contracts, except for paths that start work, such as /resync. They use the paid API key, and their prices may be unknown until the response. To turn them off, write: default: off."
  ),
  rules: list(
    PassThroughRuleSection,
    "Rules for paths that no operation describes. The first that matches applies."
  )
})

const PolicySection = Schema.Struct({
  name: requiredKey(
    Name,
    "tokenPrice",
    "Name of the operation, or of the rule of passthrough; other: without a rule."
  ),
  cache: section(
    Schema.Struct({
      ttl: optionalKey(
        Values.CacheTtl,
        "1m",
        "How long responses are cached, or none. Default: as the operation says."
      ),
      negativeTtl: optionalKey(Values.CacheTtl, "5s", "The same for \"not found\"."),
      staleWhileRevalidate: optionalKey(Timeout, "5s", "As in the section cache."),
      staleIfError: optionalKey(Timeout, "1m", "As in the section cache."),
      respectMaxAge: key(Flag, false, "Whether Cache-Control of responses shortens the TTL."),
      ignoreQuery: key(
        Values.ParameterNames,
        [],
        "Query parameters that are not sent, and so are not part of a cache key."
      )
    }),
    "Response cache."
  ),
  timeouts: section(
    Schema.Struct({
      attempt: optionalKey(PositiveTimeout, "10s", "As in upstream.timeouts."),
      call: optionalKey(PositiveTimeout, "22s", "As in upstream.timeouts.")
    }),
    "Timeouts."
  ),
  retry: section(
    Schema.Struct({ attempts: optionalKey(PositiveInteger, 4, "As in upstream.retry.") }),
    "Retries."
  ),
  maxConcurrent: optionalKey(
    PositiveInteger,
    8,
    "Maximum number of requests in flight of this process. Others get 503. Default: no limit of its own."
  )
})

const CorsSection = Schema.Struct({
  origins: key(
    Values.Origins,
    [],
    "Origins of web pages, such as https://app.example.com, that may use the tokens of this client, with any method of a path and any header."
  )
})

const PeriodQuotas = {
  dailyQuota: key(
    Values.PeriodQuota,
    null,
    "Units per UTC day, or none. { soft: 80000, hard: 100000 } warns at the first and rejects at the second, each optional."
  ),
  monthlyQuota: key(Values.PeriodQuota, null, "The same per month, which begins on quotas.billingDay.")
}

const TeamSection = Schema.Struct({
  name: requiredKey(Name, "web", "Unique name of the team."),
  clients: requiredKey(Values.ClientNames, ["shop"], "Names of its clients. A client belongs to one team."),
  ...PeriodQuotas
})

const JwtSection = Schema.Struct({
  issuer: requiredKey(Values.Text, "https://login.example.com", "The claim iss that a JWT must have."),
  audience: requiredKey(Values.Text, "quarry", "A value that its claim aud must contain."),
  jwks: requiredKey(
    Values.JwksSource,
    "https://login.example.com/.well-known/jwks.json",
    "Public keys of the issuer: HTTPS URL, or path. Read every 10m, and for an unknown key at most once a minute.",
    sensitive
  ),
  algorithms: key(Values.Algorithms, ["RS256", "ES256", "EdDSA"], "Accepted algorithms of signatures."),
  clockSkew: key(Values.ClockSkew, seconds(30), "By how much the clocks of issuer and proxy may differ."),
  claim: key(Values.Text, "sub", "Claim whose value is one of clients.subjects.")
})

const ClientSection = Schema.Struct({
  name: requiredKey(Values.ClientName, "shop", "Unique name of the client in logs and metrics."),
  tokens: requiredKey(
    Values.Tokens,
    [`sha256:${"0".repeat(64)}`],
    "Token hashes, as printed by quarry-proxy token NAME, each with or without times: sha256:… from 2026-11-01 until 2027-01-31. Use two to rotate a token without downtime.",
    sensitive
  ),
  subjects: key(Values.Texts, [], "Values of the claim jwt.claim that are this client."),
  scopes: key(
    Values.Scopes,
    ["read", "passthrough"],
    "Allowed operations: read, write, or names such as tokenPrice; passthrough: also paths that no operation describes, see passthrough.default."
  ),
  chains: key(Values.Chains, [], "Allowed chains, by name or hexadecimal ID. If empty, all."),
  contracts: key(
    Values.Addresses,
    [],
    "Allowed contracts. If empty, all. Otherwise requests for data of any contract, such as the chains of a wallet, are not allowed."
  ),
  allowedCidrs: key(Values.Cidrs, [], "IPs or CIDR ranges to connect from. If empty, any address."),
  rateLimit: key(Values.ClientRate, null, "Units per time, such as 50/s, or none."),
  ...PeriodQuotas,
  weight: key(
    PositiveInteger,
    1,
    "Share of the upstream relative to other clients, when requests of several clients wait."
  ),
  clientNoCache: optionalKey(Values.ClientNoCache, "ignore", "As in the section cache."),
  cors: section(CorsSection, "Access from web pages (CORS). A token in a page is public.")
})

const QuotasSection = Schema.Struct({
  mode: key(Values.QuotaMode, "enforce", "enforce, or shadow: only count and log what would be rejected."),
  maxWait: key(Values.QueueWait, seconds(2), "Maximum time a request waits for its rate limit."),
  maxQueue: key(NonNegativeInteger, 100, "Maximum number of waiting requests per client."),
  ...PeriodQuotas,
  billingDay: key(Values.BillingDay, 1, "Day from 1 to 28 on which a month begins, at midnight UTC.")
})

const CacheSection = Schema.Struct({
  enabled: key(Flag, true, "Whether responses are cached."),
  maxBytes: key(Size, 64 * mebibyte, "Maximum memory for cached responses, also if redis is set.", restart),
  staleWhileRevalidate: key(Timeout, seconds(5), "How long to serve stale while revalidating."),
  staleIfError: key(Timeout, minutes(1), "How long to serve stale if the upstream fails."),
  clientNoCache: key(
    Values.ClientNoCache,
    "obey",
    "What Cache-Control: no-cache, max-age=0 and Pragma: no-cache of clients do. obey: bypass the cache. ignore: nothing."
  )
})

const UsageSection = Schema.Struct({
  file: optionalKey(
    Values.ResolvedPath,
    "/var/lib/quarry/usage.ndjson",
    "File of one process for its usage, to which it appends each second. With redis, usage is in Redis instead."
  ),
  retention: key(Values.RetentionDays, 400, "Number of days for which usage is kept.")
})

const pem = (schema: typeof Values.PrivateKey, file: string, description: string, details = {}) =>
  optionalKey(schema, { file: `/run/secrets/redis-${file}` }, description, details)

const RedisSection = Schema.Struct({
  url: requiredKey(
    Values.RedisUrl,
    "redis://redis:6379",
    "URL of Redis. Put a URL with a password in a file or a variable: { file: /run/secrets/redis }.",
    { ...sensitive, variable: Variables.reference(proxyVariables.redis) }
  ),
  sentinelPassword: optionalKey(
    Values.Password,
    { file: "/run/secrets/sentinel" },
    "Password of the Sentinels of redis+sentinel://.",
    sensitive
  ),
  tls: optionalSection(
    Schema.Struct({
      ca: pem(Values.Certificate, "ca.pem", "Certificate of the server's authority."),
      certificate: pem(Values.Certificate, "client.pem", "Certificate of the proxy."),
      key: pem(Values.PrivateKey, "client.key", "Its private key.", sensitive)
    }),
    "Certificates for rediss://, in PEM. New ones apply to the connections that are made after a reload.",
    { restart: false }
  ),
  keyPrefix: key(Values.KeyPrefix, "quarry:", "Prefix of all keys in Redis."),
  whenUnavailable: key(
    Values.WhenUnavailable,
    "share",
    "Limits while Redis is unavailable. share: each proxy applies its share, by the number of running proxies. open: no limits. closed: reject requests with 503 store-unavailable."
  )
})

const LimitsSection = Schema.Struct({
  maxConcurrentRequests: key(
    PositiveInteger,
    512,
    "Maximum number of requests in flight that need the upstream."
  ),
  clientShare: key(
    Share,
    0.9,
    "Maximum share of one client in maxConcurrentRequests and upstream.maxConcurrentRequests while others are idle. When others send requests, they get its slots as these become free, until all have the same; the rest is for them at once."
  ),
  clientMemoryShare: key(
    Share,
    0.25,
    "Maximum share of one client in maxBufferedBytes. It is smaller while several clients are busy. Smaller than clientShare, because a client that reads slowly gives memory back late."
  ),
  maxListsPerClient: key(PositiveInteger, 8, "Maximum number of concurrent lists (/all) per client."),
  maxBufferedBytes: key(
    Size,
    256 * mebibyte,
    "Maximum memory for responses that are being received from the upstream or sent to clients."
  ),
  maxConnections: key(PositiveInteger, 4096, "Maximum number of open connections.", restart),
  idleConnectionShare: key(
    Share,
    0.25,
    "Maximum share of one IP address (IPv6: 64 bits) in maxConnections that serves no complete request of a client: idle, without a valid token, or still sending. Beyond it those that have been idle longest are closed. Does not apply to listen.trustedProxies.",
    restart
  ),
  maxRejectionRate: key(
    PositiveInteger,
    100,
    "Maximum number of requests per second of one client that are rejected (4xx) at once, or of one IP address without a valid token. The responses to further ones are delayed, by at most 5s."
  ),
  maxHeaderBytes: key(Size, 16 * kibibyte, "Maximum size of the request headers.", restart),
  maxUrlBytes: key(Size, 8 * kibibyte, "Maximum size of the request path and query."),
  maxRequestBytes: key(Size, 64 * kibibyte, "Maximum size of a request body."),
  maxResponseBytes: key(Size, 16 * mebibyte, "Maximum size of an upstream response body."),
  requestTimeout: key(PositiveTimeout, seconds(10), "Maximum time to receive a request.", restart),
  sendIdleTimeout: key(
    PositiveTimeout,
    seconds(30),
    "Maximum time a client reads nothing while data waits for it.",
    restart
  ),
  sendTimeout: key(PositiveTimeout, minutes(5), "Maximum time to send a response, except a list.", restart),
  minSendRate: key(
    Size,
    kibibyte,
    "Minimum size that a client reads per second while data waits for it, on average over sendIdleTimeout.",
    restart
  )
})

const ShutdownSection = Schema.Struct({
  delay: key(Timeout, seconds(5), "Time to accept requests while /readyz reports 503."),
  timeout: key(Timeout, seconds(20), "Time for requests in flight to complete.")
})

const LogSection = Schema.Struct({
  level: key(Values.LogLevel, "info", "debug, info, warning or error.", restart),
  requests: key(Flag, true, "Whether each request is logged.")
})

/** The configuration file. Decoding fills in the defaults, and reads the files and variables that values name. */
export const ConfigDocument = Schema.Struct({
  listen: section(ListenSection, "Listener for clients."),
  admin: section(AdminSection, "Admin listener: status page, metrics, usage, purge. off disables it.", {
    variable: Variables.hostAndPort(proxyVariables.admin)
  }),
  upstream: section(UpstreamSection, "The upstream: base URLs and API keys."),
  clients: list(
    ClientSection,
    "Clients and their tokens. If empty, authentication is disabled and the proxy only listens on a loopback address."
  ),
  jwt: optionalSection(
    JwtSection,
    "JWTs of an issuer as tokens of clients. Default: tokens of clients only.",
    restart
  ),
  teams: list(TeamSection, "Groups of clients with quotas of their own."),
  allowAnonymous: key(Flag, false, "Allow other machines to connect if clients is empty.", {
    variable: Variables.flag(proxyVariables.allowAnonymous)
  }),
  costs: section(
    CostsSection,
    "Costs of each operation: a price in units, which daily quotas count, or { price: 50, rateCost: 5 } with another number for rate limits, or table."
  ),
  costTable: section(CostTableSection, "Costs as the upstream publishes them. Default: the built-in table."),
  passthrough: section(PassThroughSection, "Requests that no operation describes."),
  validation: key(
    Values.Validation,
    "lenient",
    "Unknown chains, formats and other words in requests that read. lenient: forwarded. strict: rejected.",
    restart
  ),
  policies: list(PolicySection, "Policies of single operations and rules. What is not set is as for all."),
  quotas: section(
    QuotasSection,
    "How the limits of clients are enforced, and quotas of all clients together."
  ),
  cache: section(CacheSection, "Response cache."),
  usage: section(UsageSection, "Usage per day, team, client, operation and API key, for reports.", restart),
  redis: optionalSection(
    RedisSection,
    "Shares the cache and quotas between proxies. Default: not shared.",
    restart
  ),
  limits: section(LimitsSection, "Limits of each process."),
  shutdown: section(ShutdownSection, "Graceful shutdown.", restart),
  log: section(LogSection, "Log on standard error.")
})

/** The configuration that the proxy runs with. */
export type Config = typeof ConfigDocument.Type

export type ClientConfig = typeof ClientSection.Type

export type Cost = Values.Cost

export type Policy = typeof PolicySection.Type

export type PassThroughRule = typeof PassThroughRuleSection.Type

export type LogLevel = Config["log"]["level"]

/** The configuration without a file, variables and options. */
export const defaults: Config = Schema.decodeSync(ConfigDocument)({})

export const isLoopback = (host: string): boolean =>
  host.toLowerCase() === "localhost" ||
  (Net.isIP(host) !== 0 && loopback.check(host, Net.isIPv6(host) ? "ipv6" : "ipv4"))

const loopback = new Net.BlockList()
loopback.addSubnet("127.0.0.0", 8, "ipv4")
loopback.addAddress("::1", "ipv6")

/** Whether clients need no token. */
export const allowsAnonymousClients = ({ clients }: Pick<Config, "clients">): boolean => clients.length === 0

/** Returns the share of one client in a capacity. Anonymous access has only one client. */
export const shareOf = (
  { clients, limits }: Pick<Config, "clients" | "limits">,
  share: "clientShare" | "clientMemoryShare"
): number => allowsAnonymousClients({ clients }) ? 1 : limits[share]

export const lacksAdminToken = ({ admin }: Pick<Config, "admin">): boolean => admin?.tokens.length === 0

export const keys = keysOf(ConfigDocument.ast)

/** Whether a client may read paths that no operation describes without a rule that names it. */
export const mayPassThrough = (
  { chains, contracts, scopes }: Pick<ClientConfig, "chains" | "contracts" | "scopes">
): boolean => scopes.includes("passthrough") && chains.length === 0 && contracts.length === 0

export const operationIdsOf = (scopes: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(
    Operations.allOperations.filter(({ id, retry }) =>
      scopes.includes(id) || scopes.includes(retry === "always" ? "read" : "write")
    )
      .map(({ id }) => id)
  )
