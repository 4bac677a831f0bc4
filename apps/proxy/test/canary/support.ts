/**
 * Recognizable secrets, a proxy that uses them, and all output of that proxy, in which the tests search for them in every
 * encoding.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { createHash } from "node:crypto"
import { defaults } from "../../src/config/Config.ts"
import * as Harness from "../hostile/harness.ts"
import { exchange } from "../hostile/rawHttp.ts"
import { openAdmin, testClient } from "../support/proxy.ts"

/** Secrets with characters that differ in every encoding. */
export const secrets = {
  data: "canary1-data+/=%\"\\<&'~",
  others: "canary2-others+/=%\"\\<&'~",
  mine: "canary3-mine+/=%\"\\<&'~",
  theirs: "canary4-theirs+/=%\"\\<&'~",
  wrong: "canary5-wrong+/=%\"\\<&'~",
  operator: "canary6-operator+/=%\"\\<&'~",
  redis: "canary7-redis+/=%\"\\<&'~"
} as const

export const escaped = (secret: string): string =>
  [...secret].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")

/** The encodings of a secret: Base64 at every offset, and a long prefix to find truncated text. */
const encodingsOf = (secret: string): ReadonlyArray<string> => [
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

export const encodedSecrets = Object.entries(secrets).flatMap(([name, secret]) =>
  encodingsOf(secret).map((encoded) => ({ name, encoded }))
)

/** Returns the secrets that occur in a text. */
export const findSecrets = (text: string): ReadonlyArray<string> =>
  encodedSecrets.flatMap(({ name, encoded }) =>
    text.includes(encoded)
      ? [
        `${name} as ${encoded}, in ${
          text.slice(Math.max(0, text.indexOf(encoded) - 150), text.indexOf(encoded) + 50)
        }`
      ]
      : []
  )

/** Collects the text of all spans. */
const recordSpans = () => {
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

export const hashOf = (token: string) => `sha256:${createHash("sha256").update(token).digest("hex")}`

const config = {
  clients: [
    testClient("mine", secrets.mine, { scopes: ["read", "write"] }),
    testClient("theirs", secrets.theirs, { allowedCidrs: ["10.0.0.0/8"] })
  ],
  admin: { ...openAdmin, tokens: [hashOf(secrets.operator)], open: "none" },
  cache: defaults.cache,
  log: { level: "debug", requests: true }
} as const

export const startProxy = (more: Partial<typeof defaults> = {}) =>
  Effect.gen(function*() {
    const { spans, tracer } = recordSpans()
    const proxy = yield* Effect.withTracer(
      Harness.start({ config: { ...config, ...more }, keys: secrets, traced: true }),
      tracer
    )
    return { ...proxy, spans, admin: proxy.adminPort ?? 0 }
  })

/** Writes a request, and returns everything that is received. */
export const send = (port: number, target: string, lines: ReadonlyArray<string>, method = "GET", body = "") =>
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
export const readAllOutput = (
  { admin, lines, port, spans }: Effect.Effect.Success<ReturnType<typeof startProxy>>
) =>
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
export const readable = (_: string, value: unknown): unknown =>
  typeof value === "bigint" || typeof value === "function" || typeof value === "symbol"
    ? String(value)
    : value instanceof Map || value instanceof Set
    ? [...value]
    : value instanceof Error
    ? `${value.stack} ${String(value.cause)}`
    : value
