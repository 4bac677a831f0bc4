/** Sends secrets in every place that a client controls: no output of the proxy contains them. */
import { describe, expect, it } from "@effect/vitest"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { sample } from "../../../../packages/core/test/support/sample.ts"
import { streamStatusPath, transfers } from "../hostile/corpus/entry.ts"
import * as Harness from "../hostile/harness.ts"
import { rawResponse } from "../hostile/recordingUpstream.ts"
import { examples } from "../support/proxy.ts"
import { findSecrets, readAllOutput, secrets, send, startProxy } from "./support.ts"

/** Headers that a client can send; their values must not leave the proxy. */
const headerLines = (secret: string): ReadonlyArray<string> => {
  const encoded = encodeURIComponent(secret)
  const [base64, hex] = [Buffer.from(secret).toString("base64"), Buffer.from(secret).toString("hex")]
  const names = [
    ..."X-API-Key Authorization User-Agent Host X-Request-Id X-Forwarded-For X-Forwarded-Host".split(" "),
    ..."Accept Accept-Encoding Accept-Language Cache-Control Pragma Content-Encoding Range".split(" "),
    ..."Expect Upgrade Traceparent B3 X-Moralis-Platform".split(" ")
  ]
  return [
    ...names.map((name) => `${name}: ${secret}`),
    `Authorization: Bearer ${secret}`,
    `Authorization: Basic ${Buffer.from(`x:${secret}`).toString("base64")}`,
    `Proxy-Authorization: Bearer ${secret}`,
    `Cookie: token=${encoded}; ${encoded}=token`,
    `Referer: http://localhost/?token=${encoded}`,
    `Origin: http://${encoded}`,
    `Host: ${encoded}.example`,
    `If-None-Match: "${secret}"`,
    `X-Request-Id: ${base64}`,
    `Forwarded: for="${secret}"`,
    `Via: 1.1 ${secret}`,
    `Traceparent: 00-${hex.slice(0, 32)}-b7ad6b7169203331-01`,
    `Tracestate: a=${secret}`,
    `Baggage: a=${encoded}`,
    `X-${hex}: a`,
    `X: \x00${secret}`
  ]
}

/** Targets that contain a token, and are rejected or not found. */
const targets = (secret: string): ReadonlyArray<string> => {
  const encoded = encodeURIComponent(secret)
  const hex = Buffer.from(secret).toString("hex")
  return [
    ..."api_key apiKey token access_token X-API-Key authorization auth-token x-auth-token".split(" ")
      .flatMap((name) => [
        `${transfers}?${name}=${encoded}`,
        `/all${transfers}?chain=eth&${name}=${encoded}`
      ]),
    `/${encoded}`,
    `/${hex}`,
    `/api/v2.2/${encoded}/erc20/transfers`,
    `/api/v2.2/${hex}/erc20/transfers`,
    `/api/v2.2/erc20/${hex}/price`,
    `/api/v2.2/nft/${examples.collection721}/${hex}`,
    `/all/api/v2.2/${hex}/erc20/transfers`,
    `/transactions/by_hash/${hex}`,
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
const withoutQuotedValue = (response: string): string =>
  response.includes(`"code":"invalid-request"`) ? response.replace(/, got .*","code"/, "") : response

describe("what a client sends", () => {
  it.scopedLive("does not leave the proxy, from headers, targets or bodies", () =>
    Effect.gen(function*() {
      const proxy = yield* startProxy()
      const { admin, port, upstream } = proxy
      const outputs: Array<string> = []
      for (const [index, secret] of Object.values(secrets).entries()) {
        for (const own of [[], [`X-API-Key: ${secrets.mine}`]]) {
          for (const line of sample(headerLines(secret), 7, index)) {
            const both = line.startsWith("X-API-Key:") ? [line] : [...own, line]
            outputs.push(withoutQuotedValue(yield* send(port, `${transfers}?limit=1`, both)))
            outputs.push(yield* send(admin, "/status.json", [line]))
          }
          for (const target of sample(targets(secret), 7, index)) {
            outputs.push(withoutQuotedValue(yield* send(port, target, own)))
            outputs.push(yield* send(admin, target, [`X-API-Key: ${secrets.operator}`], "POST"))
          }
          for (const body of bodies(secret)) {
            outputs.push(withoutQuotedValue(yield* send(port, streamStatusPath, own, "POST", body)))
          }
        }
      }
      const all = [...outputs, ...yield* readAllOutput(proxy)]
      expect(all.length).toBeGreaterThan(400)
      expect([...new Set(all.flatMap(findSecrets))]).toEqual([])
      const requests = upstream.requests()
      expect(requests.length).toBeGreaterThan(0)
      expect(requests.map((request) => Harness.deviationFrom(request, upstream.port, secrets))).toEqual(
        requests.map(() => null)
      )
      const others = requests.map((request) => request.replaceAll(`x-api-key: ${secrets.data}`, ""))
      expect(others.flatMap(findSecrets)).toEqual([])
    }))

  it.scopedLive("leaves the proxy as a chain or cursor only in the upstream request, its span and debug lines", () =>
    Effect.gen(function*() {
      const proxy = yield* startProxy()
      const { port, telemetry, upstream } = proxy
      const outputs: Array<string> = []
      const parameters = Arr.cartesian(["chain", "cursor"], Object.values(secrets))
      for (const status of [200, 302, 400, 404]) {
        upstream.respondWith(() => rawResponse(status, `{"result":[],"cursor":null}`))
        for (const [[name, secret], prefix] of Arr.cartesian(parameters, ["", "/all"])) {
          const target = `${prefix}${transfers}?${name}=${encodeURIComponent(secret)}`
          upstream.clear()
          outputs.push(yield* send(port, target, [`X-API-Key: ${secrets.mine}`, "Cache-Control: no-store"]))
          const requests = upstream.requests()
          expect(requests.length).toBeGreaterThan(0)
          for (const request of requests) {
            expect(Harness.deviationFrom(request, upstream.port, secrets)).toBe(null)
            const sent = new URL(request.split(" ")[1] ?? "", "http://upstream")
            expect([sent.pathname, [...sent.searchParams]]).toEqual([transfers, [[name, secret]]])
          }
        }
      }
      const others = {
        ...proxy,
        lines: proxy.lines.filter((line) => !line.includes(`"level":"debug"`)),
        telemetry: {
          ...telemetry,
          logs: telemetry.logs.filter(({ text }) => !text.includes("level=DEBUG")),
          spans: telemetry.spans.map((span) => ({
            ...span,
            // Log lines are events of the current span
            events: span.events.filter((event) =>
              !JSON.stringify(event).includes(`"effect.logLevel":"DEBUG"`)
            ),
            attributes: new Map([...span.attributes].filter(([name]) => name !== "url.full"))
          }))
        }
      }
      const all = [...outputs, ...yield* readAllOutput(others)]
      expect([...new Set(all.flatMap(findSecrets))]).toEqual([])
    }))
})
