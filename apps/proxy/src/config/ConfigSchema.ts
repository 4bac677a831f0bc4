/**
 * The document that people write: every setting with its kind, its default and what it is for. The reader, the
 * printed configuration and the example are all made from this.
 */
import * as Schema from "effect/Schema"
import {
  adminDefaults,
  clientDefaults,
  defaults,
  keyDefaults,
  logLevels,
  quotaModes,
  redisDefaults,
  upstreamNames
} from "./Config.ts"
import * as ValueSchemas from "./ValueSchemas.ts"

/** Marks what is never repeated in a message. */
export const SensitiveAnnotation: unique symbol = Symbol.for("@blockquarry/proxy/Config/Discreet")

type DefaultOrExample<A, I> = ({ readonly default: A } | { readonly example: I }) & {
  readonly sensitive?: boolean
}

/** A setting: what it is for, and its default, or where it has none, an example as people write it. */
const setting = <A, I>(
  schema: Schema.Schema<A, I>,
  description: string,
  value: DefaultOrExample<A, I>
) => Schema.optionalWith(schema, { exact: true }).annotations(settingAnnotations(description, value))

/** One that has to be said. */
const required = <A, I>(
  schema: Schema.Schema<A, I>,
  description: string,
  value: Extract<DefaultOrExample<A, I>, { readonly example: I }>
) => Schema.propertySignature(schema).annotations(settingAnnotations(description, value))

/** Examples are kept as they are written; what they mean, the schema says. */
export const ExampleAnnotation: unique symbol = Symbol.for("@blockquarry/proxy/Config/Example")

const settingAnnotations = <A, I>(
  description: string,
  value: DefaultOrExample<A, I>
) => ({
  description,
  ...("default" in value ? { default: value.default } : { [ExampleAnnotation]: value.example }),
  [SensitiveAnnotation]: value.sensitive === true
})

/** Settings that belong together, or several of one kind. */
const section = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.optionalWith(schema, { exact: true }).annotations({ description })

/** The hash of no token that anybody has. */
const placeholderHash = `sha256:${"0".repeat(64)}`

const ListenSection = Schema.Struct({
  host: setting(ValueSchemas.Host, "The address of this machine.", { default: defaults.listen.host }),
  port: setting(ValueSchemas.Port, "The port; 0 takes a free one.", { default: defaults.listen.port }),
  allowedHosts: setting(
    Schema.Array(ValueSchemas.HostName),
    "Names that clients may call the proxy by where there are no clients below, besides localhost and IP addresses.",
    { default: defaults.listen.allowedHosts }
  ),
  trustedProxies: setting(
    Schema.Array(ValueSchemas.IpOrCidr),
    "Load balancers in front: addresses and networks whose X-Forwarded-For is believed.",
    { default: defaults.listen.trustedProxies }
  )
})

const AdminSection = Schema.Union(
  Schema.transform(
    Schema.Literal("off"),
    Schema.Null,
    { strict: true, decode: () => null, encode: () => "off" as const }
  ).annotations({ description: "off, or a section with host, port and tokens" }),
  Schema.Struct({
    host: setting(ValueSchemas.Host, "The address of this machine.", { default: adminDefaults.host }),
    port: setting(ValueSchemas.Port, "The port; 0 takes a free one.", { default: adminDefaults.port }),
    tokens: setting(
      Schema.Array(ValueSchemas.TokenHash),
      "Hashes of the tokens of those who may ask for usage and empty the cache, as quarry-proxy token prints them.",
      { default: adminDefaults.tokens, sensitive: true }
    )
  })
)

const BaseUrlsSection = Schema.Struct({
  data: setting(ValueSchemas.baseUrl("data"), "The main API.", {
    example: "https://data.example.com",
    sensitive: true
  }),
  streams: setting(ValueSchemas.baseUrl("streams"), "The streams API.", {
    example: "https://streams.example.com",
    sensitive: true
  }),
  ledger: setting(ValueSchemas.baseUrl("ledger"), "The ledger's main network.", {
    example: "https://ledger.example.com",
    sensitive: true
  }),
  ledgerTestnet: setting(ValueSchemas.baseUrl("ledgerTestnet"), "The ledger's test network.", {
    example: "https://testnet.example.com",
    sensitive: true
  })
})

const UpstreamKeySection = Schema.Struct({
  name: required(ValueSchemas.ResourceName, "What it is called in logs and metrics.", { example: "main" }),
  secret: required(
    ValueSchemas.SecretReference,
    "Where the key is: in a file, or in a variable ({ env: NAME }).",
    {
      example: { file: "/run/secrets/quarry-key" },
      sensitive: true
    }
  ),
  rateLimit: setting(ValueSchemas.KeyRateLimit, "Units per time that are sent with it, or none.", {
    default: keyDefaults.rateLimit
  }),
  dailyQuota: setting(ValueSchemas.DailyQuotaValue, "Units per UTC day, or none.", {
    default: keyDefaults.dailyQuota
  }),
  upstreams: setting(
    Schema.Array(ValueSchemas.oneOf("data, streams, ledger or ledgerTestnet", ...upstreamNames)).pipe(
      Schema.filter((names) => names.length > 0 || "expected at least one; leave it out for all of them")
    ),
    "What it is good for.",
    { default: keyDefaults.upstreams }
  )
})

const UpstreamSection = Schema.Struct({
  sandbox: setting(
    ValueSchemas.BooleanValue,
    "Whether the embedded service takes the place of the real one: no account, no network.",
    {
      default: defaults.upstream.sandbox
    }
  ),
  baseUrls: section(
    BaseUrlsSection,
    "Where the APIs are. Paths of those that are left out are answered 503."
  ),
  keys: section(
    Schema.Array(UpstreamKeySection),
    "The keys of the service. Several share the work: each request goes with one that has units left."
  )
})

const ClientSection = Schema.Struct({
  name: required(ValueSchemas.ClientName, "What it is called in logs and metrics.", { example: "shop" }),
  tokens: required(
    Schema.Array(ValueSchemas.TokenHash),
    "Hashes of its tokens. quarry-proxy token NAME makes one. Two at a time let you replace one.",
    { example: [placeholderHash], sensitive: true }
  ),
  scopes: setting(
    Schema.Array(ValueSchemas.ClientScope),
    "What it may do: read, write, or operations by name, such as tokenPrice.",
    { default: clientDefaults.scopes }
  ),
  allowedCidrs: setting(
    Schema.Array(ValueSchemas.IpOrCidr),
    "Addresses and networks it may come from; empty: from anywhere.",
    {
      default: clientDefaults.allowedCidrs
    }
  ),
  rateLimit: setting(ValueSchemas.ClientRateLimit, "Units per time, as in 50/s, or none.", {
    default: clientDefaults.rateLimit
  }),
  dailyQuota: setting(ValueSchemas.DailyQuotaValue, "Units per UTC day, or none.", {
    default: clientDefaults.dailyQuota
  })
})

const QuotasSection = Schema.Struct({
  mode: setting(
    ValueSchemas.oneOf("enforce or shadow", ...quotaModes),
    "enforce, or shadow: what would be refused is counted, and let through.",
    { default: defaults.quotas.mode }
  ),
  maxWait: setting(
    ValueSchemas.QueueWait,
    "A request that would have to wait longer for its client's budget is refused.",
    {
      default: defaults.quotas.maxWait
    }
  ),
  maxQueue: setting(ValueSchemas.NonNegativeInteger, "Requests of one client that may wait.", {
    default: defaults.quotas.maxQueue
  })
})

const CacheSection = Schema.Struct({
  enabled: setting(ValueSchemas.BooleanValue, "Whether answers are kept in memory while they are true.", {
    default: defaults.cache.enabled
  }),
  maxBytes: setting(ValueSchemas.ByteSize, "The most that they take.", { default: defaults.cache.maxBytes }),
  staleWhileRevalidate: setting(
    ValueSchemas.DurationValue,
    "For so long after its time an answer is still given, while a new one is fetched.",
    { default: defaults.cache.staleWhileRevalidate }
  ),
  staleIfError: setting(
    ValueSchemas.DurationValue,
    "For so long after its time an answer is still given where the service fails.",
    {
      default: defaults.cache.staleIfError
    }
  )
})

const RedisSection = Schema.Struct({
  url: required(
    ValueSchemas.RedisUrl,
    "Its address. One with a password goes to a file or a variable: { file: /run/secrets/redis }.",
    { example: "redis://redis:6379", sensitive: true }
  ),
  keyPrefix: setting(ValueSchemas.KeyPrefix, "What every key begins with.", {
    default: redisDefaults.keyPrefix
  }),
  expectedProxies: setting(
    ValueSchemas.PositiveInteger,
    "How many proxies share the budgets: while Redis is away, each takes its part of them.",
    { default: redisDefaults.expectedProxies }
  )
})

const LimitsSection = Schema.Struct({
  maxConcurrentRequests: setting(ValueSchemas.PositiveInteger, "Requests that are answered at once.", {
    default: defaults.limits.maxConcurrentRequests
  }),
  maxConnections: setting(ValueSchemas.PositiveInteger, "Connections that are open at once.", {
    default: defaults.limits.maxConnections
  }),
  maxHeaderBytes: setting(ValueSchemas.ByteSize, "The headers of a request.", {
    default: defaults.limits.maxHeaderBytes
  }),
  maxUrlBytes: setting(ValueSchemas.ByteSize, "The path and the query of a request.", {
    default: defaults.limits.maxUrlBytes
  }),
  maxRequestBytes: setting(ValueSchemas.ByteSize, "The body of a request.", {
    default: defaults.limits.maxRequestBytes
  }),
  maxResponseBytes: setting(ValueSchemas.ByteSize, "The body of an answer of the service.", {
    default: defaults.limits.maxResponseBytes
  }),
  requestTimeout: setting(ValueSchemas.PositiveDuration, "A request must be in by then.", {
    default: defaults.limits.requestTimeout
  }),
  sendIdleTimeout: setting(
    ValueSchemas.PositiveDuration,
    "A client that reads nothing of its answer for so long is let go.",
    {
      default: defaults.limits.sendIdleTimeout
    }
  )
})

const ShutdownSection = Schema.Struct({
  delay: setting(
    ValueSchemas.DurationValue,
    "For so long it says that it is about to stop, and still takes requests.",
    {
      default: defaults.shutdown.delay
    }
  ),
  timeout: setting(ValueSchemas.DurationValue, "For so long the requests that were taken may go on then.", {
    default: defaults.shutdown.timeout
  })
})

const LogSection = Schema.Struct({
  level: setting(
    ValueSchemas.oneOf("debug, info, warning or error", ...logLevels),
    "debug, info, warning or error.",
    {
      default: defaults.log.level
    }
  ),
  requests: setting(ValueSchemas.BooleanValue, "Whether each request is a line.", {
    default: defaults.log.requests
  })
})

/** What is said; nothing is filled in. */
export type ConfigDocument = typeof ConfigDocument.Type

export const ConfigDocument = Schema.Struct({
  listen: section(ListenSection, "Where clients are served."),
  admin: section(AdminSection, "Where metrics, status and usage are served; off for nowhere."),
  upstream: section(UpstreamSection, "The service behind the proxy."),
  clients: section(
    Schema.Array(ClientSection),
    "Who may ask. Where there is nobody, everybody may who reaches the proxy."
  ),
  allowAnonymous: setting(
    ValueSchemas.BooleanValue,
    "To be set where there are no clients and the proxy is reached from other machines.",
    { default: defaults.allowAnonymous }
  ),
  quotas: section(QuotasSection, "How the limits of clients are kept."),
  cache: section(CacheSection, "Answers that are kept."),
  redis: section(RedisSection, "What several proxies share: answers and budgets. Without it each is alone."),
  limits: section(LimitsSection, "What one process takes on."),
  shutdown: section(ShutdownSection, "How it stops."),
  log: section(LogSection, "What it writes on standard error.")
})
