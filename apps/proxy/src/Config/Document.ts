/**
 * The document that people write: every setting with its kind, its default and what it is for. The reader, the
 * printed configuration and the example are all made from this.
 */
import * as Schema from "effect/Schema"
import {
  addressNames,
  budgetModes,
  clientDefaults,
  defaults,
  keyDefaults,
  logLevels,
  operationsDefaults,
  redisDefaults
} from "./Config.ts"
import * as Values from "./Values.ts"

/** Marks what is never repeated in a message. */
export const DiscreetId: unique symbol = Symbol.for("@blockquarry/proxy/Config/Discreet")

type Usual<A, I> = ({ readonly default: A } | { readonly example: I }) & { readonly discreet?: boolean }

/** A setting: what it is for, and its default, or where it has none, an example as people write it. */
const setting = <A, I>(
  schema: Schema.Schema<A, I>,
  description: string,
  value: Usual<A, I>
) => Schema.optionalWith(schema, { exact: true }).annotations(described(description, value))

/** One that has to be said. */
const required = <A, I>(
  schema: Schema.Schema<A, I>,
  description: string,
  value: Extract<Usual<A, I>, { readonly example: I }>
) => Schema.propertySignature(schema).annotations(described(description, value))

/** Examples are kept as they are written; what they mean, the schema says. */
export const ExampleId: unique symbol = Symbol.for("@blockquarry/proxy/Config/Example")

const described = <A, I>(
  description: string,
  value: Usual<A, I>
) => ({
  description,
  ...("default" in value ? { default: value.default } : { [ExampleId]: value.example }),
  [DiscreetId]: value.discreet === true
})

/** Settings that belong together, or several of one kind. */
const section = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.optionalWith(schema, { exact: true }).annotations({ description })

/** The hash of no token that anybody has. */
const hash = `sha256:${"0".repeat(64)}`

const Listen = Schema.Struct({
  host: setting(Values.Host, "The address of this machine.", { default: defaults.listen.host }),
  port: setting(Values.Port, "The port; 0 takes a free one.", { default: defaults.listen.port }),
  hosts: setting(
    Schema.Array(Values.HostName),
    "Names that clients may call the proxy by where there are no clients below, besides localhost and IP addresses.",
    { default: defaults.listen.hosts }
  ),
  forwarders: setting(
    Schema.Array(Values.Network),
    "Load balancers in front: addresses and networks whose X-Forwarded-For is believed.",
    { default: defaults.listen.forwarders }
  )
})

const Operations = Schema.Union(
  Schema.transform(
    Schema.Literal("off"),
    Schema.Null,
    { strict: true, decode: () => null, encode: () => "off" as const }
  ).annotations({ description: "off, or a section with host, port and tokens" }),
  Schema.Struct({
    host: setting(Values.Host, "The address of this machine.", { default: operationsDefaults.host }),
    port: setting(Values.Port, "The port; 0 takes a free one.", { default: operationsDefaults.port }),
    tokens: setting(
      Schema.Array(Values.TokenHash),
      "Hashes of the tokens of those who may ask for usage and empty the cache, as quarry-proxy token prints them.",
      { default: operationsDefaults.tokens, discreet: true }
    )
  })
)

const Addresses = Schema.Struct({
  data: setting(Values.address("data"), "The main API.", {
    example: "https://data.example.com",
    discreet: true
  }),
  streams: setting(Values.address("streams"), "The streams API.", {
    example: "https://streams.example.com",
    discreet: true
  }),
  ledger: setting(Values.address("ledger"), "The ledger's main network.", {
    example: "https://ledger.example.com",
    discreet: true
  }),
  ledgerTestnet: setting(Values.address("ledgerTestnet"), "The ledger's test network.", {
    example: "https://testnet.example.com",
    discreet: true
  })
})

const Key = Schema.Struct({
  name: required(Values.Name, "What it is called in logs and metrics.", { example: "main" }),
  secret: required(Values.Reference, "Where the key is: in a file, or in a variable ({ env: NAME }).", {
    example: { file: "/run/secrets/quarry-key" },
    discreet: true
  }),
  limit: setting(Values.KeyLimit, "Units per time that are sent with it, or none.", {
    default: keyDefaults.limit
  }),
  perDay: setting(Values.PerDay, "Units per UTC day, or none.", { default: keyDefaults.perDay }),
  addresses: setting(
    Schema.Array(Values.oneOf("data, streams, ledger or ledgerTestnet", ...addressNames)).pipe(
      Schema.filter((names) => names.length > 0 || "expected at least one; leave it out for all of them")
    ),
    "What it is good for.",
    { default: keyDefaults.addresses }
  )
})

const Upstream = Schema.Struct({
  sandbox: setting(
    Values.Flag,
    "Whether the embedded service takes the place of the real one: no account, no network.",
    {
      default: defaults.upstream.sandbox
    }
  ),
  addresses: section(Addresses, "Where the APIs are. Paths of those that are left out are answered 503."),
  keys: section(
    Schema.Array(Key),
    "The keys of the service. Several share the work: each request goes with one that has units left."
  )
})

const Client = Schema.Struct({
  name: required(Values.ClientName, "What it is called in logs and metrics.", { example: "shop" }),
  tokens: required(
    Schema.Array(Values.TokenHash),
    "Hashes of its tokens. quarry-proxy token NAME makes one. Two at a time let you replace one.",
    { example: [hash], discreet: true }
  ),
  scopes: setting(
    Schema.Array(Values.Scope),
    "What it may do: reads, changes, or operations by name, such as tokenPrice.",
    { default: clientDefaults.scopes }
  ),
  networks: setting(
    Schema.Array(Values.Network),
    "Addresses and networks it may come from; empty: from anywhere.",
    {
      default: clientDefaults.networks
    }
  ),
  limit: setting(Values.ClientLimit, "Units per time, as in 50/s, or none.", {
    default: clientDefaults.limit
  }),
  perDay: setting(Values.PerDay, "Units per UTC day, or none.", { default: clientDefaults.perDay })
})

const Budgets = Schema.Struct({
  mode: setting(
    Values.oneOf("enforce or shadow", ...budgetModes),
    "enforce, or shadow: what would be refused is counted, and let through.",
    { default: defaults.budgets.mode }
  ),
  maxWait: setting(
    Values.Patience,
    "A request that would have to wait longer for its client's budget is refused.",
    {
      default: defaults.budgets.maxWait
    }
  ),
  maxQueue: setting(Values.CountOrNone, "Requests of one client that may wait.", {
    default: defaults.budgets.maxQueue
  })
})

const Cache = Schema.Struct({
  enabled: setting(Values.Flag, "Whether answers are kept in memory while they are true.", {
    default: defaults.cache.enabled
  }),
  maxBytes: setting(Values.Size, "The most that they take.", { default: defaults.cache.maxBytes }),
  staleWhileRevalidate: setting(
    Values.Time,
    "For so long after its time an answer is still given, while a new one is fetched.",
    { default: defaults.cache.staleWhileRevalidate }
  ),
  staleIfError: setting(
    Values.Time,
    "For so long after its time an answer is still given where the service fails.",
    {
      default: defaults.cache.staleIfError
    }
  )
})

const Redis = Schema.Struct({
  url: required(
    Values.RedisUrl,
    "Its address. One with a password goes to a file or a variable: { file: /run/secrets/redis }.",
    { example: "redis://redis:6379", discreet: true }
  ),
  prefix: setting(Values.KeyPrefix, "What every key begins with.", { default: redisDefaults.prefix }),
  processes: setting(
    Values.Count,
    "How many proxies share the budgets: while Redis is away, each takes its part of them.",
    { default: redisDefaults.processes }
  )
})

const Limits = Schema.Struct({
  requests: setting(Values.Count, "Requests that are answered at once.", {
    default: defaults.limits.requests
  }),
  connections: setting(Values.Count, "Connections that are open at once.", {
    default: defaults.limits.connections
  }),
  headers: setting(Values.Size, "The headers of a request.", { default: defaults.limits.headers }),
  target: setting(Values.Size, "The path and the query of a request.", { default: defaults.limits.target }),
  body: setting(Values.Size, "The body of a request.", { default: defaults.limits.body }),
  answer: setting(Values.Size, "The body of an answer of the service.", { default: defaults.limits.answer }),
  receive: setting(Values.PositiveTime, "A request must be in by then.", {
    default: defaults.limits.receive
  }),
  stalled: setting(Values.PositiveTime, "A client that reads nothing of its answer for so long is let go.", {
    default: defaults.limits.stalled
  })
})

const Drain = Schema.Struct({
  announce: setting(Values.Time, "For so long it says that it is about to stop, and still takes requests.", {
    default: defaults.drain.announce
  }),
  grace: setting(Values.Time, "For so long the requests that were taken may go on then.", {
    default: defaults.drain.grace
  })
})

const Log = Schema.Struct({
  level: setting(
    Values.oneOf("debug, info, warning or error", ...logLevels),
    "debug, info, warning or error.",
    {
      default: defaults.log.level
    }
  ),
  requests: setting(Values.Flag, "Whether each request is a line.", { default: defaults.log.requests })
})

/** What is said; nothing is filled in. */
export type Document = typeof Document.Type

export const Document = Schema.Struct({
  listen: section(Listen, "Where clients are served."),
  operations: section(Operations, "Where metrics, status and usage are served; off for nowhere."),
  upstream: section(Upstream, "The service behind the proxy."),
  clients: section(
    Schema.Array(Client),
    "Who may ask. Where there is nobody, everybody may who reaches the proxy."
  ),
  openToEveryone: setting(
    Values.Flag,
    "To be set where there are no clients and the proxy is reached from other machines.",
    { default: defaults.openToEveryone }
  ),
  budgets: section(Budgets, "How the limits of clients are kept."),
  cache: section(Cache, "Answers that are kept."),
  redis: section(Redis, "What several proxies share: answers and budgets. Without it each is alone."),
  limits: section(Limits, "What one process takes on."),
  drain: section(Drain, "How it stops."),
  log: section(Log, "What it writes on standard error.")
})
