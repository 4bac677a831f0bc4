/** The key goes to the service, and nowhere that people or programs look. */
import * as Ledger from "@blockquarry/sandbox/Ledger"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { entries } from "../src/commands/index.ts"
import { things } from "../src/Help.ts"
import { quarry, type Ran, reachable } from "./support/quarry.ts"
import { saying } from "./support/scripted.ts"

const canary = "canary-7Qd1xk.Vb_9"
const env = { ...reachable, QUARRY_API_KEY: canary }
const ledger = Ledger.make({ seed: 1, scale: 150 })

const lines: ReadonlyArray<ReadonlyArray<string>> = [
  ["wallet", "transfers", things.wallet, "--all"],
  ["wallet", "nft-trades", things.wallet, "--all"],
  ["wallet", "chains", things.wallet],
  ["token", "transfers", things.token, "--max-items", "150"],
  ["token", "owners", things.token, "--largest", "3"],
  ["token", "price", things.token],
  ["nft", "list", things.collection, "--total-ranges", "2", "--all"],
  ["nft", "get", things.collection, "1"],
  ["nft", "owners", things.collection, "1"],
  ["stream", "set-status", things.stream, "paused"],
  ["ledger", "tx", things.transaction]
]

/** A command whose waits between attempts are none. */
const run = (argv: ReadonlyArray<string>, client: HttpClient.HttpClient): Effect.Effect<Ran> =>
  Effect.withRandom(quarry(argv, { env, client }), Random.fixed([0]))

/** Nothing of the key, not even a beginning of it. */
const silent = ({ err, out }: Ran): void => expect(out + err).not.toContain(canary.slice(0, 10))

/** The sandbox takes its own key only; `sent` is what it would have got. */
const sandbox = (faults: ReadonlyArray<Sandbox.Fault>) =>
  Effect.map(Sandbox.make({ ledger, faults: faults.map((fault) => ({ fault })) }), (service) => {
    const sent: Array<string | undefined> = []
    const client = HttpClient.mapRequest(Sandbox.httpClient(service), (request) => {
      sent.push(request.headers["x-api-key"])
      return HttpClientRequest.setHeader(request, "x-api-key", Sandbox.key)
    })
    return { client, sent }
  })

const faults: ReadonlyArray<Sandbox.Fault> = [
  ...Sandbox.Spoil.literals.map((spoil) => ({ spoil })),
  { status: 401 },
  { "status": 429, "retry-after": canary },
  { status: 503 },
  { redirect: `https://elsewhere.invalid/?key=${canary}` }
]

/** Faults that would not end, a list of nothing but empty pages among them. */
const endless: ReadonlySet<unknown> = new Set<Sandbox.Spoil>(["hang", "stall", "empty-page"])

/** Nor is there time to wait until a service that throttles may be asked again. */
const limit = ({ spoil, status }: Sandbox.Fault): ReadonlyArray<string> =>
  endless.has(spoil) || status === 429 ? ["--timeout", "200ms"] : []

/** Documents in which a careless service repeats what it was sent, wherever one is looked into. */
const echo = JSON.stringify({
  message: `no such key: ${canary}`,
  error: { message: canary },
  errors: [canary],
  ...Object.fromEntries(
    ["result", "usdPrice", "token_id", "token_address", "active_chains", "hash", "id", "address", canary]
      .map((name) => [name, [canary]])
  )
})

const echoHeaders = {
  "content-type": "application/json",
  "retry-after": canary,
  "location": `https://elsewhere.invalid/?key=${canary}`,
  "x-ratelimit-remaining": canary
}

it("asks all eleven", () => {
  expect(lines.map((line) => line.slice(0, 2))).toEqual(
    entries.filter(({ operation }) => operation !== null).map(({ words }) => words)
  )
})

for (const line of lines) {
  describe(`quarry ${line.slice(0, 2).join(" ")}`, () => {
    it.live("sends the key and keeps it to itself", () =>
      Effect.gen(function*() {
        for (const format of ["table", "json", "ndjson"]) {
          const { client, sent } = yield* sandbox([])
          const ran = yield* run([...line, "-o", format, "--verbose"], client)
          silent(ran)
          expect(ran.code).toBe(0)
          expect(ran.err).toContain("http://sandbox.invalid/")
          expect(new Set(sent)).toEqual(new Set([canary]))
        }
      }))

    it.live("whatever goes wrong", () =>
      Effect.forEach(faults, (fault) =>
        Effect.gen(function*() {
          const { client } = yield* sandbox([fault])
          silent(yield* run([...line, "--verbose", ...limit(fault)], client))
        }), { concurrency: "unbounded" }))

    it.live("whatever the service repeats", () =>
      Effect.gen(function*() {
        for (const status of [200, 201, 302, 400, 401, 402, 404, 408, 429, 500, 503]) {
          const argv = [...line, "--verbose", ...limit({ status })]
          const ran = yield* run(argv, saying(echo, status, echoHeaders).client)
          silent(ran)
          expect([status, ran.code]).not.toEqual([status, 0])
        }
        silent(yield* run(line, saying(`<html>${"é".repeat(100)} ${canary}</html>`).client))
      }))
  })
}

it.live("a cursor that repeats the key is data, and no word to people", () =>
  Effect.gen(function*() {
    const { client } = saying(JSON.stringify({ result: [], cursor: canary }))
    const ran = yield* run(["token", "transfers", things.token, "--verbose"], client)
    expect(ran).toMatchObject({ code: 0, out: "", err: expect.stringContaining("--cursor <redacted>") })
    const walk = yield* run(["token", "transfers", things.token, "--all", "--verbose"], client)
    expect(walk.code).toBe(6)
    silent(ran)
    silent(walk)
  }))

it.live("a key that no header carries", () =>
  Effect.gen(function*() {
    const client = yield* HttpClient.HttpClient
    for (const key of [`${canary}\r\nx: y`, `${canary}№`, `${canary}\u0000`]) {
      const ran = yield* Effect.withRandom(
        quarry(["token", "price", things.token, "--verbose"], {
          env: { ...env, QUARRY_API_KEY: key, QUARRY_BASE_URL: "http://127.0.0.1:1" },
          client
        }),
        Random.fixed([0])
      )
      expect([ran.code, ran.err]).toEqual([2, expect.stringContaining("QUARRY_API_KEY")])
      silent(ran)
    }
  }).pipe(Effect.provide(FetchHttpClient.layer)))

it.live("a defect that quotes the request", () =>
  Effect.gen(function*() {
    const client = HttpClient.make((request) => Effect.die(new Error(`broken by ${JSON.stringify(request)}`)))
    const ran = yield* run(["token", "price", things.token, "--verbose"], client)
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining("mistake in quarry")])
    silent(ran)
  }))

it.live("help, completions and mistakes", () =>
  Effect.gen(function*() {
    const { client } = yield* sandbox([])
    const asked = [
      [],
      ["--version"],
      ...entries.flatMap(({ words }) => [[words[0], "--help"], [...words, "--help"]]),
      ["token", "price"],
      ...["bash", "fish", "zsh"].map((shell) => ["--completions", shell]),
      ["token", "price", things.token, "--api-key", canary],
      ["token", "price", things.token, `--key=${canary}`],
      ["token", "price", things.token, "--base-url", `https://user:${canary}@host.test`],
      ["token", "price", things.token, "--base-url", canary],
      ["nowhere"]
    ]
    for (const argv of asked) silent(yield* run(argv, client))
  }))
