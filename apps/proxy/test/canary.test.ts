/**
 * Sends recognizable secrets in every place that a client or an upstream controls, then searches all output of the
 * proxy for them, in every encoding.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Tracer from "effect/Tracer"
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { accessSync, constants } from "node:fs"
import * as Net from "node:net"
import { delimiter, join } from "node:path"
import { defaults } from "../src/config/Config.ts"
import * as Load from "../src/config/Load.ts"
import * as Print from "../src/config/Print.ts"
import { fakeFileSystem } from "./config/support.ts"
import { streamStatusPath, transfers } from "./hostile/corpus/entry.ts"
import * as Harness from "./hostile/harness.ts"
import { bytes, exchange, parseResponses } from "./hostile/rawHttp.ts"
import { rawResponse } from "./hostile/recordingUpstream.ts"
import { examples, sendRequest, start, testClient } from "./support/proxy.ts"

/** Secrets with characters that differ in every encoding. */
const secrets = {
  data: "canary1-data+/=%\"\\<&'~",
  others: "canary2-others+/=%\"\\<&'~",
  mine: "canary3-mine+/=%\"\\<&'~",
  theirs: "canary4-theirs+/=%\"\\<&'~",
  wrong: "canary5-wrong+/=%\"\\<&'~",
  operator: "canary6-operator+/=%\"\\<&'~",
  redis: "canary7-redis+/=%\"\\<&'~"
} as const

const escaped = (secret: string): string =>
  [...secret].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")

/** The encodings of a secret: Base64 at every offset, and a long prefix to find truncated text. */
const spellings = (secret: string): ReadonlyArray<string> => [
  secret,
  secret.slice(0, 12),
  secret.slice(-12),
  JSON.stringify(secret).slice(1, -1),
  JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  encodeURIComponent(secret),
  encodeURIComponent(encodeURIComponent(secret)),
  encodeURI(secret),
  secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("\"", "&quot;"),
  Buffer.from(secret).toString("hex"),
  Buffer.from(secret).toString("hex").toUpperCase(),
  escaped(secret),
  ...[0, 1, 2].flatMap((offset) =>
    (["base64", "base64url"] as const).map((encoding) =>
      Buffer.from("x".repeat(offset) + secret).toString(encoding).slice(offset === 0 ? 0 : 4, -4)
    )
  )
]

const known = Object.entries(secrets).flatMap(([name, secret]) =>
  spellings(secret).map((spelling) => ({ name, spelling }))
)

/** Returns the secrets that occur in a text. */
const found = (text: string): ReadonlyArray<string> =>
  known.flatMap(({ name, spelling }) =>
    text.includes(spelling)
      ? [
        `${name} as ${spelling}, in ${
          text.slice(Math.max(0, text.indexOf(spelling) - 150), text.indexOf(spelling) + 50)
        }`
      ]
      : []
  )

/** Collects the text of all spans. */
const recording = () => {
  const spans: Array<unknown> = []
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind) => {
      const attributes = new Map<string, unknown>()
      const span: Tracer.Span = {
        _tag: "Span",
        name,
        spanId: "span",
        traceId: "trace",
        parent,
        context,
        status: { _tag: "Started", startTime },
        attributes,
        links,
        sampled: true,
        kind,
        end: (_, exit) => spans.push(name, ...attributes, Exit.isFailure(exit) ? String(exit.cause) : ""),
        attribute: (key, value) => void attributes.set(key, value),
        event: (event, _, details) => spans.push(event, details),
        addLinks: (more) => spans.push(more)
      }
      spans.push(
        name,
        Option.match(parent, { onNone: () => "", onSome: ({ traceId }) => traceId }),
        context === Context.empty()
      )
      return span
    },
    context: (run) => run()
  })
  return { spans, tracer }
}

/** A clock that the test can advance, with short sleeps. */
const hurried = () => {
  const real = Clock.make()
  let ahead = 0
  const millis = () => real.unsafeCurrentTimeMillis() + ahead
  const clock: Clock.Clock = Object.assign(Clock.make(), {
    unsafeCurrentTimeMillis: millis,
    currentTimeMillis: Effect.sync(millis),
    sleep: (duration: Duration.Duration) => real.sleep(Duration.times(duration, 0.02))
  })
  return {
    clock,
    pass: (millis: number) => {
      ahead += millis
    }
  }
}

const hash = (token: string) => `sha256:${createHash("sha256").update(token).digest("hex")}`

const config = {
  clients: [
    testClient("mine", secrets.mine, { scopes: ["read", "write"] }),
    testClient("theirs", secrets.theirs, { allowedCidrs: ["10.0.0.0/8"] })
  ],
  admin: { host: "127.0.0.1", port: 0, tokens: [hash(secrets.operator)] },
  cache: defaults.cache,
  log: { level: "debug", requests: true }
} as const

const begin = (more: Partial<typeof defaults> = {}) =>
  Effect.gen(function*() {
    const { spans, tracer } = recording()
    const proxy = yield* Effect.withTracer(
      Harness.start({ config: { ...config, ...more }, keys: secrets, traced: true }),
      tracer
    )
    return { ...proxy, spans, admin: proxy.adminPort ?? 0 }
  })

/** Writes a request, and returns everything that is received. */
const send = (port: number, target: string, lines: ReadonlyArray<string>, method = "GET", body = "") =>
  exchange(
    port,
    Buffer.from(
      `${method} ${target} HTTP/1.1\r\n${
        [
          ...lines.some((line) => line.startsWith("Host:"))
            ? []
            : ["Host: localhost"],
          "Connection: close",
          ...lines
        ]
          .map((line) => `${line}\r\n`).join("")
      }${
        body === "" ? "" : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
      }\r\n${body}`,
      "latin1"
    )
  )

/** Headers that a client can send; their values must not leave the proxy. */
const lines = (secret: string): ReadonlyArray<string> => {
  const encoded = encodeURIComponent(secret)
  return [
    `X-API-Key: ${secret}`,
    `Authorization: Bearer ${secret}`,
    `Authorization: ${secret}`,
    `Authorization: Basic ${Buffer.from(`x:${secret}`).toString("base64")}`,
    `Proxy-Authorization: Bearer ${secret}`,
    `Cookie: token=${encoded}; ${encoded}=token`,
    `User-Agent: ${secret}`,
    `Referer: http://localhost/?token=${encoded}`,
    `Origin: http://${encoded}`,
    `Host: ${secret}`,
    `Host: ${encoded}.example`,
    `If-None-Match: "${secret}"`,
    `X-Request-Id: ${secret}`,
    `X-Request-Id: ${Buffer.from(secret).toString("base64")}`,
    `X-Forwarded-For: ${secret}`,
    `X-Forwarded-Host: ${secret}`,
    `Forwarded: for="${secret}"`,
    `Accept: ${secret}`,
    `Accept-Encoding: ${secret}`,
    `Accept-Language: ${secret}`,
    `Cache-Control: ${secret}`,
    `Pragma: ${secret}`,
    `Content-Encoding: ${secret}`,
    `Range: ${secret}`,
    `Expect: ${secret}`,
    `Upgrade: ${secret}`,
    `Via: 1.1 ${secret}`,
    `Traceparent: ${secret}`,
    `Traceparent: 00-${Buffer.from(secret).toString("hex").slice(0, 32)}-b7ad6b7169203331-01`,
    `Tracestate: a=${secret}`,
    `Baggage: a=${encoded}`,
    `B3: ${secret}`,
    `X-Moralis-Platform: ${secret}`,
    `X-${Buffer.from(secret).toString("hex")}: a`,
    `X: \x00${secret}`
  ]
}

/** Targets that contain a token, and are rejected or not found. */
const targets = (secret: string): ReadonlyArray<string> => {
  const encoded = encodeURIComponent(secret)
  const hex = Buffer.from(secret).toString("hex")
  return [
    ...[
      "api_key",
      "apiKey",
      "token",
      "access_token",
      "X-API-Key",
      "authorization",
      "auth-token",
      "x-auth-token"
    ]
      .flatMap((
        name
      ) => [`${transfers}?${name}=${encoded}`, `/all${transfers}?chain=eth&${name}=${encoded}`]),
    `/${encoded}`,
    `/${hex}`,
    `/api/v2.2/${encoded}/erc20/transfers`,
    `/api/v2.2/${hex}/erc20/transfers`,
    `/api/v2.2/erc20/${hex}/price`,
    `/api/v2.2/nft/${examples.collection721}/${hex}`,
    `/all/api/v2.2/${hex}/erc20/transfers`,
    `/transactions/by_hash/${hex}`,
    `${transfers}?chain=${encoded}`,
    `${transfers}?limit=${encoded}`,
    `${transfers}?order=${encoded}`,
    `${transfers}?contract_addresses[]=${encoded}`,
    `/transactions/by_hash/${examples.transaction}?network=${encoded}`,
    `${transfers}?a=%${secret}`,
    `${transfers}#${secret}`,
    `http://${encoded}@localhost${transfers}`,
    `/purge?target=${encoded}`,
    `/purge?target=/${hex}`,
    `/status.json?token=${encoded}`
  ]
}

const bodies = (secret: string): ReadonlyArray<string> => [
  JSON.stringify({ status: secret }),
  JSON.stringify({ status: [secret] }),
  JSON.stringify({ [secret]: "paused" }),
  JSON.stringify(secret),
  `{"status": ${secret}`,
  secret
]

/** The error response for an invalid value quotes that value, and only to the client that sent it. */
const unquoted = (response: string): string =>
  response.includes(`"code":"invalid-request"`) ? response.replace(/, got .*","code"/, "") : response

const pages = [
  "/",
  "/docs",
  "/openapi.json",
  "/status.json",
  "/usage",
  "/metrics",
  "/livez",
  "/readyz",
  "/purge",
  "/nowhere"
]

/** The pages of both listeners, as every authorized client gets them, and the cache entries. */
const everything = ({ admin, lines, port, spans }: Effect.Effect.Success<ReturnType<typeof begin>>) =>
  Effect.gen(function*() {
    const read: Array<string> = []
    for (const path of pages) {
      for (const method of ["GET", "POST", "HEAD", "OPTIONS"]) {
        for (const listener of [admin, port]) {
          for (
            const own of [[], [
              `Authorization: Bearer ${listener === admin ? secrets.operator : secrets.mine}`
            ]]
          ) {
            read.push(yield* send(listener, path, own, method))
          }
        }
      }
    }
    const metrics = yield* Metric.snapshot
    const values = metrics.map(({ metricKey, metricState }) =>
      JSON.stringify([metricKey, metricState], readable)
    )
    return [...read, ...lines, ...spans.map((one) => JSON.stringify(one, readable) ?? ""), ...values]
  })

/** Includes values that JSON omits. */
const readable = (_: string, value: unknown): unknown =>
  typeof value === "bigint" || typeof value === "function" || typeof value === "symbol"
    ? String(value)
    : value instanceof Map || value instanceof Set
    ? [...value]
    : value instanceof Error
    ? `${value.stack} ${String(value.cause)}`
    : value

describe("what a client sends", () => {
  it.scopedLive("does not leave the proxy, from headers, targets or bodies", () =>
    Effect.gen(function*() {
      const proxy = yield* begin()
      const { admin, port, upstream } = proxy
      const outputs: Array<string> = []
      for (const secret of Object.values(secrets)) {
        for (const own of [[], [`X-API-Key: ${secrets.mine}`]]) {
          for (const line of lines(secret)) {
            const both = line.startsWith("X-API-Key:") ? [line] : [...own, line]
            outputs.push(unquoted(yield* send(port, `${transfers}?limit=1`, both)))
            outputs.push(yield* send(admin, "/status.json", [line]))
          }
          for (const target of targets(secret)) {
            outputs.push(unquoted(yield* send(port, target, own)))
            outputs.push(yield* send(admin, target, [`X-API-Key: ${secrets.operator}`], "POST"))
          }
          for (const body of bodies(secret)) {
            outputs.push(unquoted(yield* send(port, streamStatusPath, own, "POST", body)))
          }
        }
      }
      const all = [...outputs, ...yield* everything(proxy)]
      expect(all.length).toBeGreaterThan(1000)
      expect([...new Set(all.flatMap(found))]).toEqual([])
      const requests = upstream.requests()
      expect(requests.length).toBeGreaterThan(0)
      expect(requests.map((request) => Harness.deviationFrom(request, upstream.port, secrets))).toEqual(
        requests.map(() => null)
      )
      expect(requests.flatMap((request) => found(request.replaceAll(`x-api-key: ${secrets.data}`, ""))))
        .toEqual(
          []
        )
    }))

  it.scopedLive("is not accepted as a token in a URL, and not sent upstream", () =>
    Effect.gen(function*() {
      const { port, upstream } = yield* begin()
      const encoded = encodeURIComponent(secrets.mine)
      for (const name of ["api_key", "token", "access_token", "x-api-key"]) {
        for (
          const [own, status, code] of [[[], 400, "token-in-url"], [
            [`X-API-Key: ${secrets.mine}`],
            400,
            "token-in-url"
          ]] as const
        ) {
          for (const prefix of ["", "/all"]) {
            const [response] =
              parseResponses(yield* send(port, `${prefix}${transfers}?${name}=${encoded}`, own)).responses
            expect([name, response?.status]).toEqual([name, status])
            expect(JSON.parse(response?.body ?? "")).toMatchObject({ code })
          }
        }
      }
      for (const target of [`http://x:${encoded}@localhost${transfers}`, `/${encoded}${transfers}`]) {
        const [response] = parseResponses(yield* send(port, target, [])).responses
        expect([400, 401, 404]).toContain(response?.status)
      }
      expect(upstream.requests()).toEqual([])
    }))

  it.scopedLive("appears in headers, bodies and log lines only as the request ID", () =>
    Effect.gen(function*() {
      const { lines, port, spans } = yield* begin()
      const id = "the-id_of.a-request"
      const response = yield* send(port, "/nowhere", [`X-Request-Id: ${id}`])
      expect(response.replace(`x-request-id: ${id}`, "").replace(`"requestId":"${id}"`, "")).not.toContain(id)
      for (const line of lines) expect(line.replace(`"requestId":"${id}"`, "")).not.toContain(id)
      expect(spans.map((one) => JSON.stringify(one, readable)).filter((one) => one?.includes(id)))
        .toEqual([`["http.request.id","${id}"]`])
    }))
})

describe("what the upstream sends", () => {
  /** Longer than any timeout. */
  const later = { "retry-after": "86400" }

  const quoting = (text: string): ReadonlyArray<string> => [
    ...[200, 201, 302, 400, 401, 402, 403, 404, 407, 418, 422, 429, 500, 502, 503].flatMap((status) => [
      rawResponse(status, JSON.stringify({ result: [], message: `the key ${text} is no good` }), later),
      rawResponse(status, `{"result":[],"message":"${escaped(text)}"}`, later),
      rawResponse(status, text, { ...later, "content-type": "text/html" })
    ]),
    ...[
      "cache-control",
      "content-language",
      "content-type",
      "expires",
      "last-modified",
      "retry-after",
      "location",
      "set-cookie",
      "etag",
      "server",
      "x-ratelimit-limit",
      "x-request-id",
      "www-authenticate",
      "content-encoding",
      "age",
      "date"
    ].flatMap((name) =>
      [200, 302, 401, 404, 503].map((status) => rawResponse(status, `{"result":[]}`, { [name]: text }))
    ),
    `HTTP/1.1 200 ${text}\r\nContent-Length: 2\r\n\r\n{}`,
    `HTTP/1.1 ${text}\r\n\r\n`,
    `HTTP/1.1 200 OK\r\n${text}\r\n\r\n`,
    `HTTP/1.1 200 OK\r\nContent-Length: ${text}\r\n\r\n`,
    `${text}\r\n\r\n`,
    ""
  ]

  for (const name of ["data", "others"] as const) {
    it.scopedLive(`reveals no key of the proxy: ${name}`, () =>
      Effect.gen(function*() {
        const { clock, pass } = hurried()
        const proxy = yield* Effect.withClock(begin(), clock)
        const outputs: Array<string> = []
        const real = yield* start()
        const page = JSON.parse((yield* sendRequest(real.port, `${transfers}?limit=1`)).text)
        const pages = [secrets[name], escaped(secrets[name])].flatMap((key) => [
          rawResponse(
            200,
            JSON.stringify({ ...page, result: [{ ...page.result[0], junk: { deep: ["CANARY"] } }] }).replace(
              "CANARY",
              key.includes("\\u") ? key : JSON.stringify(key).slice(1, -1)
            )
          ),
          rawResponse(
            200,
            JSON.stringify({ ...page, result: page.result, cursor: "CANARY" }).replace(
              "CANARY",
              key.includes("\\u") ? key : JSON.stringify(key).slice(1, -1)
            )
          )
        ])
        for (const response of [...pages, ...quoting(secrets[name])]) {
          // Ends the cooldown of rejected keys, and opens the circuit breaker for a probe
          pass(2 * 86_400_000)
          proxy.upstream.respondWith(() => response)
          proxy.upstream.clear()
          for (const target of [transfers, `/all${transfers}`]) {
            pass(2 * 86_400_000)
            outputs.push(
              yield* send(proxy.port, target, [`X-API-Key: ${secrets.mine}`, "Cache-Control: no-cache"])
            )
          }
          expect(proxy.upstream.requests().length).toBeGreaterThanOrEqual(2)
        }
        outputs.push(...yield* everything(proxy))
        expect([...new Set(outputs.flatMap(found))]).toEqual([])
      }))
  }
})

describe("the configuration", () => {
  it.effect("is printed without secrets", () =>
    Effect.gen(function*() {
      const text = `
upstream:
  baseUrls: { data: "http://127.0.0.1:1" }
  keys:
    - { name: data, secret: { file: /run/data }, rateLimit: 100/s }
    - { name: others, secret: { env: OTHERS }, rateLimit: 100/s, upstreams: [streams] }
clients:
  - { name: mine, tokens: ["${hash(secrets.mine)}"] }
admin: { tokens: ["${hash(secrets.operator)}"] }
redis: { url: { env: REDIS } }
`
      const loaded = yield* Effect.provide(
        Load.load({
          file: "/etc/quarry-proxy.yaml",
          optionValues: {},
          env: {
            OTHERS: secrets.others,
            REDIS: `redis://:${encodeURIComponent(secrets.redis)}@127.0.0.1:6379`
          }
        }),
        fakeFileSystem({ "/etc/quarry-proxy.yaml": text, "/run/data": secrets.data })
      )
      expect(loaded.config.upstream.keys.map(({ secret }) => Redacted.value(secret)))
        .toEqual([secrets.data, secrets.others])
      const printed = Print.printConfig(loaded)
      expect(printed).toContain("others")
      for (
        const one of [printed, JSON.stringify(loaded), String(loaded.config), loaded.warnings.join("\n")]
      ) {
        expect(found(one)).toEqual([])
      }
    }))

  it.effect("is rejected without quoting secrets", () =>
    Effect.gen(function*() {
      const inline = `
upstream: { keys: [{ name: data, secret: ${JSON.stringify(secrets.data)}, rateLimit: ${
        JSON.stringify(secrets.others)
      } }] }
clients: [{ name: mine, tokens: [${JSON.stringify(secrets.mine)}], scopes: [read] }]
admin: { tokens: [${JSON.stringify(secrets.operator)}] }
redis: { url: ${JSON.stringify(`redis://:${encodeURIComponent(secrets.redis)}@127.0.0.1`)} }
`
      const { diagnostics } = yield* Effect.flip(Effect.provide(
        Load.load({ file: "/etc/quarry-proxy.yaml", optionValues: {}, env: {} }),
        fakeFileSystem({ "/etc/quarry-proxy.yaml": inline })
      ))
      expect(diagnostics.length).toBeGreaterThan(3)
      const text = JSON.stringify(diagnostics)
      for (const { name, spelling } of known) {
        // A limit cannot hold a secret, so the message quotes it
        if (name !== "others") expect([name, text.includes(spelling)]).toEqual([name, false])
      }
    }))
})

const redis = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "redis-server")).find(
  (file) => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  }
)

describe.skipIf(redis === undefined)(
  `the password of Redis${redis === undefined ? " (skipped: redis-server is not installed)" : ""}`,
  () => {
    /** A Redis server that requires a password, and its port. */
    const server = (password: string) =>
      Effect.gen(function*() {
        const port = yield* Effect.async<number>((resume) => {
          const free = Net.createServer().listen(0, "127.0.0.1", () => {
            const address = free.address()
            free.close(() =>
              resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
            )
          })
        })
        yield* Effect.acquireRelease(
          Effect.sync(() =>
            spawn(redis ?? "", [
              "--port",
              String(port),
              "--bind",
              "127.0.0.1",
              "--save",
              "",
              "--requirepass",
              password
            ], {
              stdio: "ignore",
              cwd: "/tmp"
            })
          ),
          (child) =>
            Effect.async<void>((resume) => {
              child.once("exit", () => resume(Effect.void))
              child.kill("SIGKILL")
            })
        )
        const ping = Effect.filterOrFail(exchange(port, bytes("PING\r\nQUIT\r\n")), (reply) =>
          reply.includes("NOAUTH"))
        yield* Effect.retry(ping, Schedule.spaced("10 millis").pipe(Schedule.upTo("10 seconds")))
        return port
      })

    const cases: ReadonlyArray<readonly [name: string, wanted: string]> = [
      ["where it is right", secrets.redis],
      ["where it is wrong", "another"]
    ]

    for (const [name, expected] of cases) {
      it.scopedLive(`does not leave the proxy, ${name}`, () =>
        Effect.gen(function*() {
          const port = yield* server(expected)
          const url = Redacted.make(`redis://:${encodeURIComponent(secrets.redis)}@127.0.0.1:${port}`)
          const proxy = yield* begin({ redis: { keyPrefix: "quarry:", expectedProxies: 4, url } })
          const outputs: Array<string> = []
          for (let times = 0; times < 3; times++) {
            outputs.push(yield* send(proxy.port, transfers, [`X-API-Key: ${secrets.mine}`]))
          }
          expect(outputs.map((one) => one.slice(9, 12))).toEqual(["200", "200", "200"])
          expect([...outputs, ...yield* everything(proxy)].flatMap(found)).toEqual([])
        }))
    }

    it.scopedLive("does not leave the proxy if the server is unreachable", () =>
      Effect.gen(function*() {
        const url = Redacted.make(`redis://:${encodeURIComponent(secrets.redis)}@127.0.0.1:1`)
        const proxy = yield* begin({ redis: { keyPrefix: "quarry:", expectedProxies: 4, url } })
        const output = yield* send(proxy.port, transfers, [`X-API-Key: ${secrets.mine}`])
        expect(output.slice(9, 12)).toBe("200")
        expect([output, ...yield* everything(proxy)].flatMap(found)).toEqual([])
      }))
  }
)
