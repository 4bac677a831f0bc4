/**
 * The schema of Compose files, limited to the keys in use. Every service must run as a non-root user, with a read-only
 * file system, a health check and resource limits. Unknown keys are rejected, to find misspelled ones.
 */
import * as Schema from "effect/Schema"
import * as Files from "./files.ts"

const NonEmptyText = Schema.NonEmptyTrimmedString

const matching = (pattern: RegExp) => Schema.String.pipe(Schema.pattern(pattern))

const Seconds = matching(/^\d+s$/)

const ServiceName = matching(/^[a-z][a-z-]*$/)

const Build = Schema.Struct({ context: NonEmptyText, dockerfile: NonEmptyText })

const Healthcheck = Schema.Struct({
  test: Schema.Tuple([Schema.Literal("CMD", "CMD-SHELL"), NonEmptyText], NonEmptyText),
  interval: Seconds,
  timeout: Seconds,
  retries: Schema.Int,
  start_period: Seconds
})

const ComposeService = Schema.Struct({
  profiles: Schema.optional(Schema.Array(ServiceName)),
  // Pinned, because `latest` changes
  image: matching(
    /^[a-z./-]+:(?:v?\d+\.\d+(?:\.\d+)?(?:-[a-z]+)?|\$\{QUARRY_PROXY_VERSION:-\d+\.\d+\.\d+\})$/
  ),
  build: Schema.optional(Build),
  command: Schema.optional(Schema.Array(Schema.String)),
  environment: Schema.optional(Schema.Record({ key: matching(/^[A-Z_]+$/), value: NonEmptyText })),
  volumes: Schema.optional(Schema.Array(matching(/^(?:\.{1,2}\/[\w./-]+:\/[\w./-]+:ro|[a-z]+:\/[\w./-]+)$/))),
  tmpfs: Schema.optional(Schema.Array(NonEmptyText)),
  secrets: Schema.optional(Schema.Array(ServiceName)),
  networks: Schema.Union(
    Schema.Array(ServiceName),
    Schema.Record({
      key: ServiceName,
      value: Schema.Struct({ aliases: Schema.optional(Schema.Array(ServiceName)) })
    })
  ),
  // Only on the loopback address
  ports: Schema.optional(Schema.Array(matching(/^127\.0\.0\.1:\d+:\d+$/))),
  depends_on: Schema.optional(
    Schema.Record({
      key: ServiceName,
      value: Schema.Struct({ condition: Schema.Literal("service_healthy") })
    })
  ),
  healthcheck: Healthcheck,
  stop_grace_period: Schema.optional(Seconds),
  restart: Schema.Literal("unless-stopped"),
  read_only: Schema.Literal(true),
  user: matching(/^[1-9]\d*:\d+$/),
  cap_drop: Schema.Tuple(Schema.Literal("ALL")),
  security_opt: Schema.Tuple(Schema.Literal("no-new-privileges:true")),
  mem_limit: matching(/^\d+m$/),
  pids_limit: Schema.Int,
  ulimits: Schema.optional(
    Schema.Record({ key: ServiceName, value: Schema.Struct({ soft: Schema.Int, hard: Schema.Int }) })
  ),
  logging: Schema.Struct({
    driver: Schema.Literal("json-file"),
    options: Schema.Struct({ "max-size": matching(/^\d+m$/), "max-file": matching(/^\d+$/) })
  })
})

export type ComposeService = typeof ComposeService.Type

const Compose = Schema.Struct({
  name: ServiceName,
  services: Schema.Record({ key: ServiceName, value: ComposeService }),
  networks: Schema.Record({
    key: ServiceName,
    value: Schema.Struct({ internal: Schema.optional(Schema.Boolean) })
  }),
  secrets: Schema.optionalWith(
    Schema.Record({ key: ServiceName, value: Schema.Struct({ file: matching(/^\.\/secrets\/[a-z-]+$/) }) }),
    { default: () => ({}) }
  ),
  volumes: Schema.Record({ key: ServiceName, value: Schema.Struct({}) })
})

export type Compose = typeof Compose.Type

/** The names of fragments start with `x-`. */
const withoutFragments = (document: object): object =>
  Object.fromEntries(Object.entries(document).filter(([name]) => !name.startsWith("x-")))

export const read = (document: object): Compose =>
  Schema.decodeUnknownSync(Compose, { onExcessProperty: "error", errors: "all" })(withoutFragments(document))

export const compose = (): Compose => read(Files.document("compose.yaml"))

const isList = Schema.is(Schema.Array(ServiceName))

export const networksOf = ({ networks }: ComposeService): ReadonlyArray<string> =>
  isList(networks) ? networks : Object.keys(networks)
