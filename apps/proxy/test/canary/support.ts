/**
 * Recognizable secrets, a proxy that uses them, and all output of that proxy, in which the tests search for them in every
 * encoding.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as TelemetryRecorder from "../../../../packages/http/test/support/TelemetryRecorder.ts"
import * as Tokens from "../../src/auth/Tokens.ts"
import { defaults } from "../../src/config/Config.ts"
import * as Harness from "../hostile/harness.ts"
import { exchange } from "../hostile/rawHttp.ts"
import { configuredTokens, openAdmin, testClient } from "../support/proxy.ts"

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

const encodedSecrets = Object.entries(secrets).flatMap(([name, secret]) =>
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

const config = {
  clients: [
    testClient("mine", secrets.mine, { scopes: ["read", "write"] }),
    testClient("theirs", secrets.theirs, { allowedCidrs: ["10.0.0.0/8"] })
  ],
  admin: { ...openAdmin, tokens: configuredTokens([Tokens.hash(secrets.operator)]), open: "none" },
  cache: defaults.cache,
  log: { level: "debug", requests: true }
} as const

export const startProxy = (more: Partial<typeof defaults> = {}) =>
  Effect.gen(function*() {
    const telemetry = TelemetryRecorder.make()
    const proxy = yield* telemetry.record(
      Harness.start({ config: { ...config, ...more }, keys: secrets, traced: true })
    )
    return { ...proxy, telemetry, admin: proxy.adminPort ?? 0 }
  })

/** Writes a request, and returns everything that is received. */
export const send = (
  port: number,
  target: string,
  lines: ReadonlyArray<string>,
  method = "GET",
  body = ""
) => {
  const host = lines.some((line) => line.startsWith("Host:")) ? [] : ["Host: localhost"]
  const type = body === "" ? [] : ["Content-Type: application/json", `Content-Length: ${body.length}`]
  const head = [`${method} ${target} HTTP/1.1`, ...host, "Connection: close", ...lines, ...type, "", body]
  return exchange(port, Buffer.from(head.join("\r\n"), "latin1"))
}

const pages = [
  ...["/", "/openapi.json", "/status.json", "/usage", "/metrics", "/livez", "/readyz", "/purge"],
  "/nowhere"
]

/** The pages of both listeners, as every authorized client gets them, and what the process logs, traces and counts. */
export const readAllOutput = (
  { admin, lines, port, telemetry }: Effect.Effect.Success<ReturnType<typeof startProxy>>
) =>
  Effect.gen(function*() {
    const listeners = [[admin, secrets.operator], [port, secrets.mine]] as const
    const requests = Arr.cartesian(pages, ["GET", "POST", "HEAD", "OPTIONS"]).flatMap(([path, method]) =>
      listeners.flatMap(([listener, token]) =>
        [[], [`Authorization: Bearer ${token}`]].map((own) => send(listener, path, own, method))
      )
    )
    const read = yield* Effect.all(requests)
    const metrics = yield* Metric.snapshot
    // Exporters of spans get the text of a failure
    const spans = telemetry.spans.map(({ failure, ...span }) => ({ ...span, failure: String(failure) }))
    return [...read, ...lines, ...[spans, telemetry.logs, metrics].map(TelemetryRecorder.inspectDeep)]
  })
