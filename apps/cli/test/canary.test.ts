/** The key goes to the service, and nowhere that people or programs look. */
import * as Ledger from "@blockquarry/sandbox/Ledger"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { commands } from "../src/commands/Commands.ts"
import { exampleValues } from "../src/Help.ts"
import { quarry, type RunResult, sandboxEnvironment } from "./support/quarry.ts"
import { respondingWith } from "./support/stubClient.ts"

const canary = "canary-7Qd1xk.Vb_9"
const env = { ...sandboxEnvironment, QUARRY_API_KEY: canary }
const ledger = Ledger.make({ seed: 1, scale: 150 })

const lines: ReadonlyArray<ReadonlyArray<string>> = [
  ["wallet", "transfers", exampleValues.wallet, "--all"],
  ["wallet", "nft-trades", exampleValues.wallet, "--all"],
  ["wallet", "chains", exampleValues.wallet],
  ["token", "transfers", exampleValues.token, "--max-items", "150"],
  ["token", "owners", exampleValues.token, "--largest", "3"],
  ["token", "price", exampleValues.token],
  ["nft", "list", exampleValues.collection, "--total-ranges", "2", "--all"],
  ["nft", "get", exampleValues.collection, "1"],
  ["nft", "owners", exampleValues.collection, "1"],
  ["stream", "set-status", exampleValues.stream, "paused"],
  ["ledger", "tx", exampleValues.transaction]
]

/** A command whose waits between attempts are none. */
const runWithKey = (argv: ReadonlyArray<string>, client: HttpClient.HttpClient): Effect.Effect<RunResult> =>
  Effect.withRandom(quarry(argv, { env, client }), Random.fixed([0]))

/** Nothing of the key, not even a beginning of it. */
const expectNoKey = ({ err, out }: RunResult): void => expect(out + err).not.toContain(canary.slice(0, 10))

/** The sandbox takes its own key only; `sent` is what it would have got. */
const sandbox = (faults: ReadonlyArray<Sandbox.Fault>) =>
  Effect.map(Sandbox.make({ ledger, faults: faults.map((fault) => ({ fault })) }), (service) => {
    const sent: Array<string | undefined> = []
    const client = HttpClient.mapRequest(Sandbox.httpClient(service), (request) => {
      sent.push(request.headers["x-api-key"])
      return HttpClientRequest.setHeader(request, "x-api-key", Sandbox.apiKey)
    })
    return { client, sent }
  })

const faults: ReadonlyArray<Sandbox.Fault> = [
  ...Sandbox.FaultKind.literals.map((kind) => ({ kind })),
  { status: 401 },
  { "status": 429, "retry-after": canary },
  { status: 503 },
  { redirect: `https://elsewhere.invalid/?key=${canary}` }
]

/** Faults that would not end, a list of nothing but empty pages among them. */
const hangingFaults: ReadonlySet<unknown> = new Set<Sandbox.FaultKind>(["hang", "stall", "empty-page"])

/** Nor is there time to wait until a service that throttles may be asked again. */
const limit = ({ kind, status }: Sandbox.Fault): ReadonlyArray<string> =>
  hangingFaults.has(kind) || status === 429 ? ["--timeout", "200ms"] : []

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
    commands.filter(({ operation }) => operation !== null).map(({ path: words }) => words)
  )
})

for (const line of lines) {
  describe(`quarry ${line.slice(0, 2).join(" ")}`, () => {
    it.live("sends the key and keeps it to itself", () =>
      Effect.gen(function*() {
        for (const format of ["table", "json", "ndjson"]) {
          const { client, sent } = yield* sandbox([])
          const ran = yield* runWithKey([...line, "-o", format, "--verbose"], client)
          expectNoKey(ran)
          expect(ran.code).toBe(0)
          expect(ran.err).toContain("http://sandbox.invalid/")
          expect(new Set(sent)).toEqual(new Set([canary]))
        }
      }))

    it.live("whatever goes wrong", () =>
      Effect.forEach(faults, (fault) =>
        Effect.gen(function*() {
          const { client } = yield* sandbox([fault])
          expectNoKey(yield* runWithKey([...line, "--verbose", ...limit(fault)], client))
        }), { concurrency: "unbounded" }))

    it.live("whatever the service repeats", () =>
      Effect.gen(function*() {
        for (const status of [200, 201, 302, 400, 401, 402, 404, 408, 429, 500, 503]) {
          const argv = [...line, "--verbose", ...limit({ status })]
          const ran = yield* runWithKey(argv, respondingWith(echo, status, echoHeaders).client)
          expectNoKey(ran)
          expect([status, ran.code]).not.toEqual([status, 0])
        }
        expectNoKey(
          yield* runWithKey(line, respondingWith(`<html>${"é".repeat(100)} ${canary}</html>`).client)
        )
      }))
  })
}

it.live("a cursor that repeats the key is data, and no word to people", () =>
  Effect.gen(function*() {
    const { client } = respondingWith(JSON.stringify({ result: [], cursor: canary }))
    const ran = yield* runWithKey(["token", "transfers", exampleValues.token, "--verbose"], client)
    expect(ran).toMatchObject({ code: 0, out: "", err: expect.stringContaining("--cursor <redacted>") })
    const walk = yield* runWithKey(["token", "transfers", exampleValues.token, "--all", "--verbose"], client)
    expect(walk.code).toBe(6)
    expectNoKey(ran)
    expectNoKey(walk)
  }))

it.live("a key that no header carries", () =>
  Effect.gen(function*() {
    const client = yield* HttpClient.HttpClient
    for (const key of [`${canary}\r\nx: y`, `${canary}№`, `${canary}\u0000`]) {
      const ran = yield* Effect.withRandom(
        quarry(["token", "price", exampleValues.token, "--verbose"], {
          env: { ...env, QUARRY_API_KEY: key, QUARRY_BASE_URL: "http://127.0.0.1:1" },
          client
        }),
        Random.fixed([0])
      )
      expect([ran.code, ran.err]).toEqual([2, expect.stringContaining("QUARRY_API_KEY")])
      expectNoKey(ran)
    }
  }).pipe(Effect.provide(FetchHttpClient.layer)))

it.live("a defect that quotes the request", () =>
  Effect.gen(function*() {
    const client = HttpClient.make((request) => Effect.die(new Error(`broken by ${JSON.stringify(request)}`)))
    const ran = yield* runWithKey(["token", "price", exampleValues.token, "--verbose"], client)
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining("mistake in quarry")])
    expectNoKey(ran)
  }))

it.live("help, completions and mistakes", () =>
  Effect.gen(function*() {
    const { client } = yield* sandbox([])
    const asked = [
      [],
      ["--version"],
      ...commands.flatMap(({ path: words }) => [[words[0], "--help"], [...words, "--help"]]),
      ["token", "price"],
      ...["bash", "fish", "zsh"].map((shell) => ["--completions", shell]),
      ["token", "price", exampleValues.token, "--api-key", canary],
      ["token", "price", exampleValues.token, `--key=${canary}`],
      ["token", "price", exampleValues.token, "--base-url", `https://user:${canary}@host.test`],
      ["token", "price", exampleValues.token, "--base-url", canary],
      ["nowhere"]
    ]
    for (const argv of asked) expectNoKey(yield* runWithKey(argv, client))
  }))
