/** The printed configuration. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { parse, stringify } from "yaml"
import { printConfig } from "../../src/config/Print.ts"
import { file, load, toPlain } from "./support.ts"

const { array, boolean, constantFrom, integer, record, uniqueArray } = FastCheck

const partly = <T>(fields: { [K in keyof T]: FastCheck.Arbitrary<T[K]> }) =>
  record(fields, { requiredKeys: [] })

const time = constantFrom("500ms", "5s", "90s", "2m", "1h", "1d", "36h")
const size = constantFrom<string | number>("64MiB", "16KiB", "1MB", "3kB", 12_345)
const count = integer({ min: 1, max: 100_000 })
const limit = constantFrom("100/s", "25/10s", "0.5/m", "none", "40000/d", "3/250ms")
const dailyQuota = constantFrom<string | number>("none", 1, 40_000)
const hash = FastCheck.array(constantFrom(..."0123456789abcdefABCDEF"), { minLength: 64, maxLength: 64 })
  .map((digits) => `sha256:${digits.join("")}`)
const network = constantFrom("10.0.0.0/8", "::1", "fd00::/8", "192.168.0.1")
const reference = constantFrom<object>({ file: "/run/secrets/a" }, { env: "SECRET_B" }, {
  file: "../run/secrets/a"
})
const name = FastCheck.stringMatching(/^[A-Za-z0-9._-]{1,12}$/).filter((text) =>
  text !== "anonymous" && text !== "unauthenticated"
)

const admin = FastCheck.oneof(
  FastCheck.constant("off"),
  partly({ host: constantFrom("127.0.0.1", "::1", "::"), tokens: array(hash, { maxLength: 2 }) })
)

const document = partly({
  listen: partly({
    host: constantFrom("127.0.0.1", "localhost", "::1"),
    port: constantFrom(0, 80, 8650),
    allowedHosts: array(constantFrom("Quarry.internal", "a_b.example")),
    trustedProxies: array(network)
  }),
  admin,
  upstream: partly({
    sandbox: boolean(),
    baseUrls: partly({
      data: constantFrom("https://data.example.com/", "http://10.0.0.1:8080/x"),
      ledger: FastCheck.constant("https://ledger.example.com")
    }),
    keys: uniqueArray(
      record(
        {
          name,
          secret: reference,
          rateLimit: limit,
          dailyQuota,
          upstreams: uniqueArray(constantFrom("data", "streams", "ledger", "ledgerTestnet"), { minLength: 1 })
        },
        { requiredKeys: ["name", "secret"] }
      ),
      { selector: ({ name }) => name, maxLength: 3 }
    )
  }),
  clients: uniqueArray(
    record(
      {
        name,
        tokens: array(hash, { minLength: 1, maxLength: 1 }),
        scopes: array(constantFrom("read", "write", "tokenPrice")),
        allowedCidrs: array(network),
        rateLimit: limit,
        dailyQuota
      },
      { requiredKeys: ["name", "tokens"] }
    ),
    { selector: ({ name }) => name, maxLength: 3 }
  ),
  quotas: partly({
    mode: constantFrom("enforce", "shadow"),
    maxWait: constantFrom("0s", "1500ms", "60s"),
    maxQueue: count
  }),
  cache: partly({ enabled: boolean(), maxBytes: size, staleWhileRevalidate: time, staleIfError: time }),
  redis: record(
    {
      url: FastCheck.oneof(
        constantFrom("redis://redis:6379", "rediss://redis/1"),
        FastCheck.constant({ env: "REDIS" })
      ),
      keyPrefix: constantFrom("quarry:", "#", "off", "a:b"),
      whenUnavailable: constantFrom("share", "open", "closed")
    },
    { requiredKeys: ["url"] }
  ),
  limits: partly({
    maxConcurrentRequests: count,
    maxConnections: count,
    maxHeaderBytes: size,
    maxUrlBytes: size,
    maxRequestBytes: size,
    maxResponseBytes: size,
    requestTimeout: time,
    sendIdleTimeout: time
  }),
  shutdown: partly({ delay: time, timeout: time }),
  log: partly({ level: constantFrom("debug", "info", "warning", "error"), requests: boolean() })
})

const variables = partly({
  QUARRY_PROXY_PORT: constantFrom("0", "81"),
  QUARRY_PROXY_HOST: constantFrom("localhost", "127.0.0.2"),
  QUARRY_PROXY_ADMIN: constantFrom("off", "[::1]:0", "localhost:9000"),
  QUARRY_SANDBOX: constantFrom("1", "0"),
  QUARRY_BASE_URL: constantFrom("https://env.example.com", ""),
  QUARRY_API_KEY: constantFrom("key-of-the-environment", ""),
  QUARRY_RATE_LIMIT: constantFrom("7/s", "none"),
  QUARRY_REDIS_URL: constantFrom("redis://:password@redis")
})

const secrets = { SECRET_B: "secret-b-of-the-service", REDIS: "redis://:password@other" }
const files = { "/run/secrets/a": "secret-a-of-the-service\n" }

describe("print", () => {
  it.prop(
    "prints a file that loads as the same configuration, with and without the original variables",
    [document, variables],
    ([document, variables]) => {
      const env = { ...variables, ...secrets }
      const first = Effect.runSync(load({ text: stringify(document), env, files }))
      const text = printConfig(first)
      const again = Effect.runSync(load({ text, env, files }))
      expect(toPlain(again.config)).toEqual(toPlain(first.config))
      const { QUARRY_API_KEY = "", QUARRY_REDIS_URL = "" } = variables
      const bare = Effect.runSync(
        load({ text, env: { ...secrets, QUARRY_API_KEY, QUARRY_REDIS_URL: "" }, files }).pipe(
          Effect.option
        )
      )
      // Only the variables with secrets are still needed
      if (QUARRY_REDIS_URL === "" && bare._tag === "Some") {
        expect(toPlain(bare.value.config)).toEqual(toPlain(first.config))
      }
      expect(bare._tag).toBe(QUARRY_REDIS_URL === "" ? "Some" : "None")
      expect(printConfig(again).replaceAll(/ {2}# .*/g, "")).toBe(text.replaceAll(/ {2}# .*/g, ""))
    }
  )

  it.effect("prints the origin of each value, and the reference of each secret", () =>
    Effect.gen(function*() {
      const loaded = yield* load({
        text: `clients:
  - name: shop
    tokens: [sha256:${"a".repeat(64)}]
admin: off
upstream:
  baseUrls: { data: https://data.example.com }
`,
        env: { QUARRY_PROXY_PORT: "80", QUARRY_API_KEY: "0123456789abcdef", QUARRY_RATE_LIMIT: "5/s" },
        optionValues: { QUARRY_PROXY_HOST: "0.0.0.0" }
      })
      const lines = printConfig(loaded).split("\n")
      for (
        const line of [
          "  host: 0.0.0.0  # --host",
          "  port: 80  # QUARRY_PROXY_PORT",
          "  allowedHosts: []  # default",
          "admin: off  # file",
          "    data: https://data.example.com/api/v2.2  # file",
          "    # streams: not set",
          "    - name: environment  # QUARRY_API_KEY",
          "      secret: { env: QUARRY_API_KEY }  # QUARRY_API_KEY; set, 16 characters",
          "      rateLimit: 5/s  # QUARRY_RATE_LIMIT",
          "  - name: shop  # file",
          `    tokens: [ sha256:${"a".repeat(64)} ]  # file`,
          "    rateLimit: none  # default",
          "# redis: not set"
        ]
      ) expect(lines).toContain(line)
      expect(Object.keys(parse(printConfig(loaded)))).toContain("quotas")
      expect(loaded.sourceOf(["clients", 0, "name"])).toEqual({
        _tag: "File",
        file,
        position: { line: 2, column: 11 }
      })
    }))
})
