/** What operators ask of the listener of operations, and have it do. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Config, defaults } from "../../src/Config/Config.ts"
import { ask, type Asked, client, configured, examples, start } from "../support/proxy.ts"
import { questions } from "../support/questions.ts"

const price = questions["tokenPrice"]?.path ?? ""

const transfers = `/api/v2.2/${examples.wallet}/erc20/transfers?chain=eth&limit=2`

const config = {
  ...configured(),
  cache: defaults.cache,
  operations: { host: "127.0.0.1", port: 0, tokens: [] }
}

const running = (other: Partial<Config> = {}) =>
  Effect.map(start({ config: { ...config, ...other } }), ({ operationsPort, ...proxy }) => ({
    ...proxy,
    desk: (path: string, asked: Asked = {}) => ask(operationsPort ?? 0, path, asked)
  }))

const purge = { method: "POST", body: "" }

describe("a purge", () => {
  it.scopedLive("forgets one answer, percent-encoded as it is asked for, or all", () =>
    Effect.gen(function*() {
      const { desk, port } = yield* running()
      const states = Effect.map(
        Effect.forEach([price, transfers], (path) => ask(port, path)),
        (answers) => answers.map(({ headers }) => String(headers["cache-status"]).includes("hit"))
      )
      expect([yield* states, yield* states]).toEqual([[false, false], [true, true]])
      const one = yield* desk(`/purge?target=${encodeURIComponent(transfers)}`, purge)
      expect([one.status, JSON.parse(one.text)]).toEqual([200, { purged: transfers }])
      expect(yield* states).toEqual([true, false])
      const all = yield* desk("/purge", purge)
      expect([all.status, JSON.parse(all.text)]).toEqual([200, { purged: "everything" }])
      expect(yield* states).toEqual([false, false])
    }))

  it.scopedLive("that is not understood forgets nothing", () =>
    Effect.gen(function*() {
      const { desk, port } = yield* running()
      yield* ask(port, price)
      const wrong = [
        ["/purge?tarket=x", 400],
        [`/purge?target=${transfers}`, 400],
        ["/purge?target=", 400],
        ["/purge?target=%2Fnowhere", 404],
        ["/purge?target=%2Flivez", 404],
        ["/purge?target=a&target=b", 400]
      ] as const
      for (const [path, status] of wrong) {
        expect([path, (yield* desk(path, purge)).status]).toEqual([path, status])
      }
      expect((yield* desk("/purge")).status).toBe(405)
      expect((yield* desk("/purge", { ...purge, headers: { origin: "http://evil.example" } })).status).toBe(
        403
      )
      expect((yield* ask(port, price)).headers["cache-status"]).toContain("hit")
    }))
})

describe("what is confidential", () => {
  it.scopedLive("is not told to whom another proxy on this machine speaks for", () =>
    Effect.gen(function*() {
      const { desk } = yield* running()
      for (const path of ["/usage", "/status.json"]) {
        expect((yield* desk(path)).status).toBe(200)
        for (const name of ["x-forwarded-for", "forwarded", "via"]) {
          const answer = yield* desk(path, { headers: { [name]: "10.0.0.1" } })
          expect([path, name, answer.status, JSON.parse(answer.text).code])
            .toEqual([path, name, 403, "network-refused"])
        }
      }
    }))
})

describe("budgets that only count", () => {
  it.scopedLive("refuse nobody, and say what they would have refused", () =>
    Effect.gen(function*() {
      const { desk, lines, port } = yield* running({
        ...config,
        budgets: { ...defaults.budgets, mode: "shadow" },
        clients: [client("small", "s", { perDay: 4 })]
      })
      const headers = { "x-api-key": "s" }
      const answers = [yield* ask(port, price, { headers }), yield* ask(port, price, { headers })]
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      expect(lines.map((line) => JSON.parse(line)).map(({ charged, shadowed }) => [charged, shadowed]))
        .toEqual([[3, false], [0, true]])
      const usage = JSON.parse((yield* desk("/usage")).text)
      expect(usage.clients).toMatchObject([{ name: "small", charged: 3, shadowed: 1, refused: 0 }])
      expect((yield* desk("/metrics")).text)
        .toContain("quarry_proxy_refused_total{client=\"small\",code=\"shadow\"} 1")
    }))
})

describe("a failure", () => {
  it.scopedLive("says what is left as every answer does that was paid for", () =>
    Effect.gen(function*() {
      const { port, sandbox } = yield* running({ ...config, clients: [client("small", "s", { perDay: 40 })] })
      yield* sandbox.queueFaults({ redirect: "http://elsewhere.invalid/" })
      const answer = yield* ask(port, price, { headers: { "x-api-key": "s" } })
      expect([answer.status, answer.headers["ratelimit"]])
        .toEqual([502, expect.stringMatching(/^"day";r=37;t=\d+$/)])
    }))
})
