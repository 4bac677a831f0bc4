/** The upstream repeats the API keys in every place that it controls: no output of the proxy contains them. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { sample } from "../../../../packages/core/test/support/sample.ts"
import { makeClock } from "../../../../packages/http/test/faults/support/CustomClock.ts"
import { transfers } from "../hostile/corpus/entry.ts"
import { rawResponse } from "../hostile/recordingUpstream.ts"
import { sendRequest, start } from "../support/proxy.ts"
import { escaped, findSecrets, readAllOutput, secrets, send, startProxy } from "./support.ts"

/** A clock that the test can advance, with short sleeps. */
const fastClock = () => {
  let ahead = 0
  const clock = makeClock(() => Date.now() + ahead, (millis, wake) => {
    const timer = setTimeout(wake, Math.min(millis * 0.02, 2 ** 31 - 1))
    return () => clearTimeout(timer)
  })
  return { clock, pass: (millis: number) => void (ahead += millis) }
}

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
      ...["cache-control", "content-language", "content-type", "expires", "last-modified", "retry-after"],
      ...["location", "set-cookie", "etag", "server", "x-ratelimit-limit", "x-request-id"],
      ...["www-authenticate", "content-encoding", "age", "date"]
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

  for (const [index, name] of (["data", "others"] as const).entries()) {
    it.scopedLive(`reveals no key of the proxy: ${name}`, () =>
      Effect.gen(function*() {
        const { clock, pass } = fastClock()
        const proxy = yield* Effect.withClock(startProxy(), clock)
        const outputs: Array<string> = []
        const real = yield* start()
        const page = JSON.parse((yield* sendRequest(real.port, `${transfers}?limit=1`)).text)
        const pages = [JSON.stringify(secrets[name]).slice(1, -1), escaped(secrets[name])].flatMap((key) =>
          [
            { ...page, result: [{ ...page.result[0], junk: { deep: ["CANARY"] } }] },
            { ...page, cursor: "CANARY" }
          ].map((document) => rawResponse(200, JSON.stringify(document).replace("CANARY", () => key)))
        )
        for (const response of [...pages, ...sample(quoting(secrets[name]), 7, index)]) {
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
        outputs.push(...yield* readAllOutput(proxy))
        expect([...new Set(outputs.flatMap(findSecrets))]).toEqual([])
      }))
  }
})
