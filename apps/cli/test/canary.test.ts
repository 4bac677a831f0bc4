/** The API key is sent to the upstream and never appears in the output. */
import { operationIds } from "@blockquarry/core/Operations"
import * as Ledger from "@blockquarry/sandbox/Ledger"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as fs from "node:fs"
import { join } from "node:path"
import { loadCommands } from "../src/commands/Commands.ts"
import { exampleValues } from "../src/help/Help.ts"
import { directories, piped } from "./support/directories.ts"
import { quarry, type RunResult, sandboxEnvironment } from "./support/quarry.ts"
import { respondingWith } from "./support/stubClient.ts"

const commands = await loadCommands()

const canary = "canary-7Qd1xk.Vb_9"
const env = { ...sandboxEnvironment, QUARRY_API_KEY: canary }
const ledger = Ledger.make({ seed: 1, scale: 150 })

/** A command of each operation. */
const lines: ReadonlyArray<ReadonlyArray<string>> = [
  ["wallet", "transfers", exampleValues.wallet, "--all"],
  ["wallet", "chains", exampleValues.wallet],
  ["wallet", "nft-trades", exampleValues.wallet, "--all"],
  ["token", "price", exampleValues.token],
  ["token", "transfers", exampleValues.token, "--max-items", "150"],
  ["token", "owners", exampleValues.token, "--largest", "3"],
  ["nft", "list", exampleValues.collection, "--total-ranges", "2", "--all"],
  ["nft", "get", exampleValues.collection, "1"],
  ["nft", "owners", exampleValues.collection, "1"],
  ["stream", "set-status", exampleValues.stream, "paused"],
  ["ledger", "tx", exampleValues.transaction]
]

/** Runs a command with the canary as API key and without backoff between attempts. */
const runWithKey = (argv: ReadonlyArray<string>, client: HttpClient.HttpClient): Effect.Effect<RunResult> =>
  Effect.withRandom(quarry(argv, { env, client }), Random.fixed([0]))

/** Fails if the output contains the first characters of the key. */
const expectNoKey = ({ err, out }: RunResult): void => expect(out + err).not.toContain(canary.slice(0, 10))

/** Creates a sandbox and records the keys. Replaces the canary, because the sandbox accepts only its own key. */
const sandbox = (faults: ReadonlyArray<Sandbox.Fault>) =>
  Effect.map(Sandbox.make({ ledger, faults: faults.map((fault) => ({ fault })) }), (sandbox) => {
    const sent: Array<string | undefined> = []
    const client = HttpClient.mapRequest(Sandbox.httpClient(sandbox), (request) => {
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

/** Faults that never end a command. */
const hangingFaults: ReadonlySet<unknown> = new Set<Sandbox.FaultKind>(["hang", "stall", "empty-page"])

/** Adds a timeout for faults that never end a command, and for the cooldown after a 429. */
const timeoutArgs = ({ kind, status }: Sandbox.Fault): ReadonlyArray<string> =>
  hangingFaults.has(kind) || status === 429 ? ["--timeout", "200ms"] : []

/** A document that repeats the key in every field that the client reads. */
const echoBody = JSON.stringify({
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

it("covers all operations", () => {
  const called = lines.map((line) =>
    commands.find(({ path }) => path.join(" ") === line.slice(0, 2).join(" "))?.operation
  )
  expect(called).toEqual(operationIds)
})

for (const line of lines) {
  describe(`quarry ${line.slice(0, 2).join(" ")}`, () => {
    it.live("sends the key and does not print it", () =>
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

    it.live("does not print the key when an upstream fault is injected", () =>
      Effect.forEach(faults, (fault) =>
        Effect.gen(function*() {
          const { client } = yield* sandbox([fault])
          expectNoKey(yield* runWithKey([...line, "--verbose", ...timeoutArgs(fault)], client))
        }), { concurrency: "unbounded" }))

    it.live("does not print the key when the response repeats it", () =>
      Effect.gen(function*() {
        for (const status of [200, 201, 302, 400, 401, 402, 404, 408, 429, 500, 503]) {
          const argv = [...line, "--verbose", ...timeoutArgs({ status })]
          const ran = yield* runWithKey(argv, respondingWith(echoBody, status, echoHeaders).client)
          expectNoKey(ran)
          expect([status, ran.code]).not.toEqual([status, 0])
        }
        expectNoKey(
          yield* runWithKey(line, respondingWith(`<html>${"é".repeat(100)} ${canary}</html>`).client)
        )
      }))
  })
}

it.live("redacts the key in messages that contain a cursor", () =>
  Effect.gen(function*() {
    const { client } = respondingWith(JSON.stringify({ result: [], cursor: canary }))
    const ran = yield* runWithKey(["token", "transfers", exampleValues.token, "--verbose"], client)
    expect(ran).toMatchObject({ code: 0, out: "", err: expect.stringContaining("--cursor=<redacted>") })
    const allPages = yield* runWithKey(
      ["token", "transfers", exampleValues.token, "--all", "--verbose"],
      client
    )
    expect(allPages.code).toBe(6)
    expectNoKey(ran)
    expectNoKey(allPages)
  }))

it.live("does not print a key that is invalid in a header", () =>
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

it.live("does not print the key of a request in a defect", () =>
  Effect.gen(function*() {
    const client = HttpClient.make((request) => Effect.die(new Error(`broken by ${JSON.stringify(request)}`)))
    const ran = yield* runWithKey(["token", "price", exampleValues.token, "--verbose"], client)
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining("bug in quarry")])
    expectNoKey(ran)
  }))

it.live("does not print the key in help, completions and usage errors", () =>
  Effect.gen(function*() {
    const { client } = yield* sandbox([])
    const commandLines = [
      [],
      ["--version"],
      ...commands.flatMap(({ path }) => [[...path.slice(0, 1), "--help"], [...path, "--help"]]),
      ["token", "price"],
      ...["bash", "fish", "zsh"].map((shell) => ["--completions", shell]),
      ["token", "price", exampleValues.token, "--api-key", canary],
      ["token", "price", exampleValues.token, `--key=${canary}`],
      ["token", "price", exampleValues.token, "--base-url", `https://user:${canary}@host.test`],
      ["token", "price", exampleValues.token, "--base-url", canary],
      ["nowhere"]
    ]
    for (const argv of commandLines) expectNoKey(yield* runWithKey(argv, client))
  }))

it.live("does not print the key while it watches", () =>
  Effect.gen(function*() {
    for (const { path } of commands.filter(({ path: [group] }) => group === "watch")) {
      const argv = [...path, exampleValues.wallet, "--verbose", "--timeout", "300ms"]
      const echoes = [200, 401, 503].map((status) => respondingWith(echoBody, status, echoHeaders).client)
      for (const client of [(yield* sandbox([])).client, ...echoes]) {
        expectNoKey(yield* runWithKey(argv, client))
      }
    }
  }))

/** Commands of configuration and diagnostics, and of an operation. */
const localLines: ReadonlyArray<ReadonlyArray<string>> = [
  ["config", "list", "--show-origin"],
  ["config", "list", "-o", "json", "-v"],
  ["config", "get", "base-url"],
  ["config", "set", "api-key", canary],
  ["config", "set", "base-url", `https://user:${canary}@host.test`],
  ["config", "set", canary, "x"],
  ["config", "unset", "key"],
  ["config", "path"],
  ["alias", "set", "treasury", canary],
  ["alias", "list"],
  ["auth", "status"],
  ["auth", "status", "--verify", "-v"],
  ["doctor", "-v"],
  ["doctor", "-o", "json"],
  ["explain", "4"],
  ["api", "tokenPrice", `address=${exampleValues.token}`, "-i", "-v", "--timeout", "300ms"],
  ["api", "tokenPrice", `address=${exampleValues.token}`, `key=${canary}`],
  ["token", "price", exampleValues.token, "--curl", "-v"],
  ["token", "price", exampleValues.token, "-v", "--timeout", "300ms"],
  ["auth", "logout"]
]

it.live("does not print a stored key, and writes it to no other file", () =>
  Effect.gen(function*() {
    const { home, keyFile, project, run, writeUser } = yield* directories
    const { QUARRY_BASE_URL } = sandboxEnvironment
    const echo = respondingWith(echoBody, 401, echoHeaders).client
    const { client: working } = yield* sandbox([])
    for (const client of [working, echo]) {
      for (
        const text of [`base-url: ${QUARRY_BASE_URL}\n`, `base-url: ${QUARRY_BASE_URL}\napi-key: ${canary}\n`]
      ) {
        const input = piped(`${canary}\n`)
        const login = yield* run(["auth", "login", "--no-verify"], { client, input })
        expectNoKey(login)
        writeUser(text)
        for (const argv of localLines) expectNoKey(yield* run(argv, { client }))
      }
    }
    writeUser("")
    yield* run(["auth", "login", "--no-verify"], { input: piped(canary) })
    const files = [home, project].flatMap((directory) =>
      fs.readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile()).map(({ name, parentPath }) => join(parentPath, name))
    )
    expect(files.filter((file) => fs.readFileSync(file, "utf8").includes(canary.slice(0, 10)))).toEqual([
      keyFile("default")
    ])
  }).pipe(Effect.scoped), 30_000)
