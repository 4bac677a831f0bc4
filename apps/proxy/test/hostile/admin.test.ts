/** The admin listener: no request form bypasses the protection of confidential data. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Tokens from "../../src/auth/Tokens.ts"
import { defaults } from "../../src/config/Config.ts"
import { configuredTokens, openAdmin, sendRequest } from "../support/proxy.ts"
import * as Harness from "./harness.ts"
import { bytes, exchange, parseResponses, statuses } from "./rawHttp.ts"

const operator = "token-of-an-operator"

const start = Effect.map(
  Harness.start({
    config: {
      admin: { ...openAdmin, tokens: configuredTokens([Tokens.hash(operator)]), open: "none" },
      cache: defaults.cache
    }
  }),
  ({ adminPort }) => adminPort ?? 0
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
      const admin = yield* start
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
      const admin = yield* start
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
})
