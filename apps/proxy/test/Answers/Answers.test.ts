/** How kept answers are given, and what is said of them. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Zlib from "node:zlib"
import { defaults } from "../../src/Config/Config.ts"
import { ask, type Asked, client, configured, examples, ledger, start } from "../support/proxy.ts"
import { questions } from "../support/questions.ts"

const config = { ...configured(), cache: defaults.cache }

const price = questions["tokenPrice"]?.path ?? ""

const long = `/api/v2.2/${examples.wallet}/erc20/transfers?chain=eth&limit=50`

const cached = () => start({ config })

const states = (port: number, path: string, asks: ReadonlyArray<Asked>) =>
  Effect.forEach(
    asks,
    (one) => Effect.map(ask(port, path, one), ({ headers, status }) => [status, headers["cache-status"]])
  )

describe("Cache-Status", () => {
  it.scopedLive("says what the cache did, and clients have their say", () =>
    Effect.gen(function*() {
      const { lines, port, sandbox } = yield* cached()
      const said = yield* states(port, price, [
        { headers: { "cache-control": "only-if-cached" } },
        {},
        {},
        { headers: { "cache-control": "only-if-cached" } },
        { headers: { "cache-control": "max-stale=5, no-cache" } },
        { headers: { pragma: "no-cache" } },
        { headers: { "cache-control": "no-store" } },
        {}
      ])
      expect(said).toEqual([
        [504, undefined],
        [200, "quarry-proxy; fwd=miss"],
        [200, expect.stringMatching(/^quarry-proxy; hit; ttl=\d+$/)],
        [200, expect.stringMatching(/^quarry-proxy; hit; ttl=\d+$/)],
        [200, "quarry-proxy; fwd=request"],
        [200, "quarry-proxy; fwd=request"],
        [200, "quarry-proxy; fwd=bypass"],
        [200, expect.stringMatching(/^quarry-proxy; hit; ttl=\d+$/)]
      ])
      expect(yield* sandbox.requests).toHaveLength(4)
      const logged = lines.map((line) => JSON.parse(line))
      expect(logged.map(({ cache }) => cache))
        .toEqual([null, "miss", "hit", "hit", "miss", "miss", "bypass", "hit"])
      expect(logged.map(({ cost }) => cost)).toEqual([0, 3, 0, 0, 3, 3, 3, 0])
      expect(logged.map(({ attempts }) => attempts)).toEqual([0, 1, 0, 0, 1, 1, 1, 0])
    }))

  it.scopedLive("equal questions at once are one request", () =>
    Effect.gen(function*() {
      const slow = yield* Sandbox.make({ ledger })
      const client = HttpClient.transform(Sandbox.httpClient(slow), Effect.delay("200 millis"))
      const { port } = yield* start({ config, client })
      const said = yield* Effect.all(Array.from({ length: 20 }, () => ask(port, price)), { concurrency: 20 })
      const collapsed = said.filter(({ headers }) =>
        headers["cache-status"] === "quarry-proxy; fwd=miss; collapsed"
      )
      expect(collapsed.length).toBeGreaterThan(0)
      expect(yield* slow.requests).toHaveLength(1)
    }))

  it.scopedLive("a change is never kept", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* cached()
      const { body, path } = questions["updateStreamStatus"] ?? { path: "", body: "" }
      const said = yield* states(port, path, [0, 1].map(() => ({ method: "POST", body: body ?? "" })))
      expect(said).toEqual([[200, "quarry-proxy; fwd=bypass"], [200, "quarry-proxy; fwd=bypass"]])
      expect(yield* sandbox.requests).toHaveLength(2)
    }))

  it.scopedLive("nothing is kept where the cache is off", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* start()
      expect(yield* states(port, price, [{}, {}])).toEqual([
        [200, "quarry-proxy; fwd=bypass"],
        [200, "quarry-proxy; fwd=bypass"]
      ])
      expect(yield* sandbox.requests).toHaveLength(2)
    }))
})

describe("whoever has the answer already", () => {
  it.scopedLive("is told so, whichever encoding it had", () =>
    Effect.gen(function*() {
      const { port } = yield* cached()
      const first = yield* ask(port, long, { headers: { "accept-encoding": "gzip" } })
      const tag = String(first.headers["etag"])
      expect(tag).toMatch(/^W\/"[\w-]{27}"$/)
      for (const condition of [tag, tag.slice(2), `"other", ${tag}`, "*"]) {
        const again = yield* ask(port, long, { headers: { "if-none-match": condition } })
        expect([again.status, again.bytes.byteLength, again.headers["etag"]]).toEqual([304, 0, tag])
        expect(again.headers["content-type"]).toBeUndefined()
      }
      const changed = yield* ask(port, long, { headers: { "if-none-match": "W/\"another\"" } })
      expect(changed.status).toBe(200)
    }))
})

describe("encodings", () => {
  it.scopedLive("are made once, and decode to the bytes of the service, hit or miss", () =>
    Effect.gen(function*() {
      const { port } = yield* cached()
      const plain = yield* ask(port, long)
      expect(plain.headers["content-encoding"]).toBeUndefined()
      expect(plain.headers["vary"]).toBe("accept-encoding")
      for (
        const [encoding, decode] of [["gzip", Zlib.gunzipSync], ["br", Zlib.brotliDecompressSync]] as const
      ) {
        for (const _ of ["made", "kept"]) {
          const answer = yield* ask(port, long, { headers: { "accept-encoding": encoding } })
          expect(answer.headers["content-encoding"]).toBe(encoding)
          expect(Number(answer.headers["content-length"])).toBe(answer.bytes.byteLength)
          expect(decode(answer.bytes).equals(plain.bytes)).toBe(true)
        }
      }
    }))

  it.scopedLive("short answers are left as they are", () =>
    Effect.gen(function*() {
      const { port } = yield* cached()
      const answer = yield* ask(port, price, { headers: { "accept-encoding": "gzip, br" } })
      expect(answer.headers["content-encoding"]).toBeUndefined()
    }))
})

describe("the short way and the long way", () => {
  it.scopedLive("give the same answer, but for its age and its id", () =>
    Effect.gen(function*() {
      const token = { "x-api-key": "token" }
      const { port } = yield* start({
        config: {
          ...config,
          clients: [client("one", "token", { limit: { limit: 1000, window: 1000 }, perDay: 5000 })]
        }
      })
      yield* ask(port, price, { headers: token })
      const { "x-request-id": _, date: __, age: ___, ratelimit: left, ...short } =
        (yield* ask(port, price, { headers: token })).headers
      // Whoever asks for a kept answer alone goes the long way
      const { "x-request-id": _1, date: _2, age: _3, ratelimit: leftThen, ...longer } =
        (yield* ask(port, price, { headers: { ...token, "cache-control": "only-if-cached" } })).headers
      expect(short).toEqual(longer)
      expect([left, leftThen].map((text) => /"day";r=(\d+)/.exec(String(text))?.[1])).toEqual([
        "4994",
        "4991"
      ])
      expect(longer["ratelimit-policy"]).toBe("\"rate\";q=1000;w=1, \"day\";q=5000;w=86400")
    }))
})
