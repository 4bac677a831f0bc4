/** The admin listener: no request form bypasses the protection of confidential data. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { sample } from "../../../../packages/core/test/support/sample.ts"
import * as Tokens from "../../src/auth/Tokens.ts"
import { defaults } from "../../src/config/Config.ts"
import { configuredTokens, openAdmin, sendRequest } from "../support/proxy.ts"
import { framing } from "./corpus/framing.ts"
import { headers } from "./corpus/headers.ts"
import { methods } from "./corpus/methods.ts"
import { targets } from "./corpus/targets.ts"
import * as Harness from "./harness.ts"
import { bytes, exchange, parseResponses, statuses } from "./rawHttp.ts"

const operator = "token-of-an-operator"

const start = (tokens: ReadonlyArray<string>) =>
  Effect.map(
    Harness.start({
      config: {
        admin: {
          ...openAdmin,
          tokens: configuredTokens(tokens.map(Tokens.hash)),
          open: tokens.length === 0 ? "all" : "none"
        },
        cache: defaults.cache
      }
    }),
    ({ adminPort, ...others }) => ({ ...others, admin: adminPort ?? 0 })
  )

const confidential = ["/status.json", "/usage", "/metrics", "/purge"] as const

/** Variants of a path that may bypass a check. */
const variantsOf = (path: string): ReadonlyArray<string> =>
  [
    "/ /. /.. /x/.. /%2e%2e /%2e /metrics/.. /metrics/%2e%2e /metrics/..; /livez;".split(" ")
      .map((start) => start + path),
    ["/livez%00", "/livez/", "http://a@localhost", "https://localhost", "*"].map((start) => start + path),
    ["/", "/.", "%00", "%20", ";a=b", ".json", "%2f", "#", "#/livez"].map((end) => path + end),
    ["%2f", "\\", "/%09", ""].map((slash) => path.replace("/", slash)),
    [path.replace(/[ea]/, "%C4%97"), path.toUpperCase()]
  ].flat()

/** Other spellings of the same path. */
const spellingsOf = (path: string): ReadonlyArray<string> => [
  `http://localhost${path}`,
  `HTTP://127.0.0.1:1${path}`,
  path.replace(/[sg]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
]

const get = (target: string, lines: ReadonlyArray<string>, method = "GET"): Buffer =>
  bytes(
    `${method} ${target} HTTP/1.1\r\n${
      ["Connection: close", ...lines].map((line) => `${line}\r\n`).join("")
    }\r\n`
  )

const secret = /"clients"|"purged"|usage is not saved|"upstreams"|^quarry_/m

describe("the admin listener", () => {
  it.scopedLive("returns nothing confidential for a variant of a path, with or without the token", () =>
    Effect.gen(function*() {
      const { admin } = yield* start([operator])
      for (const target of confidential.flatMap(variantsOf)) {
        for (const lines of [["Host: localhost"], ["Host: localhost", `Authorization: Bearer ${operator}`]]) {
          for (const method of ["GET", "POST", "HEAD"]) {
            const stream = yield* exchange(admin, get(target, lines, method))
            const { problem, responses } = parseResponses(stream, () => method === "HEAD")
            expect([method, target, stream.slice(9, 12)])
              .toEqual([method, target, expect.stringMatching(/^(400|404|421)$/)])
            // Invalid HTTP is rejected with a body, for every method
            if (method !== "HEAD") expect([target, problem, responses.length]).toEqual([target, null, 1])
            expect(stream).not.toMatch(secret)
          }
        }
      }
      expect((yield* sendRequest(admin, "/livez")).status).toBe(200)
    }))

  it.scopedLive("requires the token for other spellings of a path, too", () =>
    Effect.gen(function*() {
      const { admin } = yield* start([operator])
      for (const path of confidential) {
        for (const target of spellingsOf(path)) {
          const withToken = get(target, ["Host: localhost", `Authorization: Bearer ${operator}`])
          expect([target, statuses(yield* exchange(admin, get(target, ["Host: localhost"])))]).toEqual([
            target,
            [401]
          ])
          // Usage is not saved
          const status = { "/purge": 405, "/usage": 400, "/metrics": 200, "/status.json": 200 }[path]
          expect([target, statuses(yield* exchange(admin, withToken))]).toEqual([target, [status]])
        }
      }
    }))

  it.scopedLive("accepts only its own token, in one header", () =>
    Effect.gen(function*() {
      const { admin } = yield* start([operator])
      const lines = [
        [`X-API-Key: ${Harness.token}`],
        [`X-API-Key: ${operator}`, `X-API-Key: ${operator}`],
        [`Authorization: Basic ${Buffer.from(`:${operator}`).toString("base64")}`],
        [`Cookie: token=${operator}`, "X-Forwarded-For: 127.0.0.1", "X-Real-IP: 127.0.0.1"]
      ]
      for (const path of confidential) {
        for (const sent of lines) {
          const method = path === "/purge" ? "POST" : "GET"
          const stream = yield* exchange(admin, get(path, ["Host: localhost", ...sent], method))
          expect([path, sent, statuses(stream)]).toEqual([path, sent, [401]])
          expect(stream).not.toMatch(secret)
        }
      }
    }))

  it.scopedLive("rejects the corpus or closes the connection", () =>
    Effect.gen(function*() {
      const { admin, upstream } = yield* start([operator])
      const context = { required: "Host: localhost\r\n" }
      const probe = bytes("GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      const entries = sample([...framing, ...headers, ...methods, ...targets], 5)
      const streams = yield* Effect.forEach(
        entries,
        (entry) => {
          const sent = entry.bytes(context)
          const isHead = sent.subarray(0, 5).toString() === "HEAD "
          return Effect.map(
            exchange(admin, Buffer.concat([sent, probe])),
            (stream) => ({ name: entry.name, isHead, stream })
          )
        },
        {
          concurrency: 32
        }
      )
      for (const { isHead, name, stream } of streams) {
        const { problem, responses } = parseResponses(stream, (index) => index === 0 && isHead)
        const [last, ...before] = responses.toReversed()
        const live = last?.status === 200 && last.body.includes("\"live\"")
        expect([name, problem]).toEqual([name, null])
        const others = live ? before : responses
        const wrong = others.filter(({ body, status }) =>
          status < 400 && status !== 204 && !body.includes("\"live\"")
        )
        expect([name, wrong]).toEqual([name, []])
        expect(others.length <= 2).toBe(true)
        expect(stream).not.toMatch(secret)
      }
      expect(upstream.requests()).toEqual([])
      expect((yield* sendRequest(admin, "/livez")).status).toBe(200)
    }))
})
