/** The API key is sent to the upstream and never appears in the output. */
import * as Erc20Transfer from "@blockquarry/core/model/Erc20Transfer"
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import * as Page from "@blockquarry/core/Page"
import * as Ledger from "@blockquarry/sandbox/Ledger"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as TestClock from "effect/TestClock"
import * as fs from "node:fs"
import { join } from "node:path"
import { sample } from "../../../packages/core/test/support/sample.ts"
import { commandLine } from "../src/commands/Descriptions.build.ts"
import { exampleLines } from "../src/help/Help.ts"
import { parse } from "./golden/cases.ts"
import { directories, piped } from "./support/directories.ts"
import { memory, temporaryFolder } from "./support/exports.ts"
import { eventLoopTurn, quarry, type RunResult, sandboxEnvironment } from "./support/quarry.ts"
import { respondingWith } from "./support/stubClient.ts"

const canary = "canary-7Qd1xk.Vb_9"
const env = { ...sandboxEnvironment, QUARRY_API_KEY: canary }
const ledger = Ledger.make({ seed: 1, scale: 60 })

const price = "token price {token}"

/** Up to two examples of each operation. Some read whole lists. */
const examples = commandLine.commands.filter(({ operation, path }) =>
  operation !== null && path[0] !== "watch"
)
  .flatMap((command) => exampleLines(command).slice(0, 2))

/**
 * Runs a command with the canary as API key and without backoff between attempts. Time passes once it has sent a request, so that
 * a timeout ends no command before it. `sent` has the key of each request.
 */
const run = (
  line: string,
  client: HttpClient.HttpClient,
  more = {}
): Effect.Effect<RunResult & { readonly sent: ReadonlyArray<string | undefined> }> =>
  Effect.gen(function*() {
    const sent: Array<string | undefined> = []
    const observed = HttpClient.mapRequestInput(client, (request) => {
      sent.push(request.headers["x-api-key"])
      return request
    })
    const fiber = yield* Effect.fork(
      Effect.withRandom(
        quarry(parse(line).argv, { env: { ...env, ...more }, client: observed }),
        Random.fixed([0])
      )
    )
    while (fiber.unsafePoll() === null) {
      yield* eventLoopTurn
      if (sent.length > 0) yield* TestClock.adjust("50 millis")
    }
    return { ...yield* Fiber.join(fiber), sent }
  })

/** Fails unless every request had the key, and at least one was sent. */
const expectSent = ({ sent }: { readonly sent: ReadonlyArray<string | undefined> }): void =>
  expect(new Set(sent)).toEqual(new Set([canary]))

/** Fails if the output contains the first characters of the key. */
const expectNoKey = ({ err, out }: RunResult): void => expect(out + err).not.toContain(canary.slice(0, 10))

/** The client of a sandbox. Replaces the canary, because the sandbox accepts only its own key. */
const sandbox = (...faults: ReadonlyArray<Sandbox.Fault>) =>
  Effect.map(
    Sandbox.make({ ledger, faults: faults.map((fault) => ({ fault })) }),
    (sandbox) =>
      HttpClient.mapRequest(
        Sandbox.httpClient(sandbox),
        (request) => HttpClientRequest.setHeader(request, "x-api-key", Sandbox.apiKey)
      )
  )

const faults: ReadonlyArray<Sandbox.Fault> = [
  ...Sandbox.FaultKind.literals.map((kind) => ({ kind })),
  { status: 401 },
  { "status": 429, "retry-after": canary },
  { status: 503 },
  { redirect: `https://elsewhere.invalid/?key=${canary}` }
]

/** Faults that never end a command, as the cooldown after a 429. */
const hangingFaults: ReadonlySet<unknown> = new Set<Sandbox.FaultKind>(["hang", "stall", "empty-page"])

const timeoutFor = ({ kind, status }: Sandbox.Fault): string =>
  hangingFaults.has(kind) || status === 429 ? " --timeout 200ms" : ""

/** Repeats the key in every field that the client reads. */
const echo = (status: number): HttpClient.HttpClient => {
  const fields = [
    "result",
    "usdPrice",
    "token_id",
    "token_address",
    "active_chains",
    "hash",
    "id",
    "address",
    canary
  ]
  const body = {
    message: `no such key: ${canary}`,
    error: { message: canary },
    errors: [canary],
    ...Object.fromEntries(fields.map((name) => [name, [canary]]))
  }
  return respondingWith(JSON.stringify(body), status, {
    "content-type": "application/json",
    "retry-after": canary,
    "location": `https://elsewhere.invalid/?key=${canary}`,
    "x-ratelimit-remaining": canary
  }).client
}

it.effect.each(sample(examples, 12))(
  "does not print the key after faults, or when a response repeats it: %s",
  (example) =>
    Effect.gen(function*() {
      const line = `${example.replace("quarry ", "")} --verbose`
      for (const fault of faults) {
        const ran = yield* run(line + timeoutFor(fault), yield* sandbox(fault))
        expectNoKey(ran)
        expectSent(ran)
      }
      for (const status of [200, 302, 401, 404, 429, 503]) {
        const ran = yield* run(line + timeoutFor({ status }), echo(status))
        expectNoKey(ran)
        expectSent(ran)
        expect([status, ran.code]).not.toEqual([status, 0])
      }
      const ran = yield* run(line, respondingWith(`<html>${"é".repeat(100)} ${canary}</html>`).client)
      expectNoKey(ran)
      expectSent(ran)
    })
)

it.effect("redacts the key in messages that contain a cursor", () =>
  Effect.gen(function*() {
    const { client } = respondingWith(JSON.stringify({ result: [], cursor: canary }))
    const page = yield* run("token transfers {token} --verbose", client)
    expect(page).toMatchObject({ code: 0, out: "", err: expect.stringContaining("--cursor=<redacted>") })
    const pages = yield* run("token transfers {token} --all --verbose", client)
    expect(pages.code).toBe(6)
    expectNoKey(page)
    expectNoKey(pages)
  }))

const pageWithKey = JSON.stringify(
  walletTransfers.encode(Page.example([Erc20Transfer.example({ token_name: canary })]))
)

it.effect.each([
  "api /x/echo",
  "api /x/echo --all",
  "api /x/echo --fields token_name -o table",
  "api walletTransfers address={wallet} --jq .token_name",
  ...["table", "ndjson", "json", "csv"].map((format) =>
    `wallet transfers {wallet} --fields token_name -o ${format}`
  )
])("redacts the key in the output of a response that repeats it: %s", (line) =>
  Effect.gen(function*() {
    const ran = yield* run(line, respondingWith(pageWithKey).client)
    expectNoKey(ran)
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining("<redacted>")])
  }))

it.effect("redacts the key in the files of an export", () =>
  Effect.gen(function*() {
    const folder = temporaryFolder(memory)
    for (const extension of ["ndjson", "csv", "parquet"]) {
      const line = `wallet transfers {wallet} --to ${join(folder, `out.${extension}`)}`
      const ran = yield* run(line, respondingWith(pageWithKey).client)
      expectNoKey(ran)
      expect(ran.code).toBe(0)
    }
    const files = fs.readdirSync(folder)
    expect(files.length).toBeGreaterThanOrEqual(6)
    for (const file of files) expect(fs.readFileSync(join(folder, file), "latin1")).not.toContain(canary)
    expect(fs.readFileSync(join(folder, "out.csv"), "utf8")).toContain("<redacted>")
  }))

it.effect("does not print a key that is invalid in a header", () =>
  Effect.gen(function*() {
    const client = yield* HttpClient.HttpClient
    for (const key of [`${canary}\r\nx: y`, `${canary}№`, `${canary}\u0000`]) {
      const variables = { QUARRY_API_KEY: key, QUARRY_BASE_URL: "http://127.0.0.1:1" }
      const ran = yield* run(`${price} --verbose`, client, variables)
      expect([ran.code, ran.err]).toEqual([2, expect.stringContaining("QUARRY_API_KEY")])
      expectNoKey(ran)
    }
  }).pipe(Effect.provide(FetchHttpClient.layer)))

it.effect("does not print the key of a request in a defect", () =>
  Effect.gen(function*() {
    const client = HttpClient.make((request) => Effect.die(new Error(`broken by ${JSON.stringify(request)}`)))
    const ran = yield* run(`${price} --verbose`, client)
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining("bug in quarry")])
    expectNoKey(ran)
  }))

it.effect("does not print the key in help and usage errors, and while it watches", () =>
  Effect.gen(function*() {
    const client = yield* sandbox()
    const invalid = [`--api-key ${canary}`, `--key=${canary}`, `--base-url https://user:${canary}@host.test`]
      .map((option) => `${price} ${option}`)
    for (const line of ["--help all", ...invalid]) expectNoKey(yield* run(line, client))
    for (const { path } of commandLine.commands.filter(({ path: [group] }) => group === "watch")) {
      const line = `${path.join(" ")} {wallet} --verbose --timeout 200ms`
      for (const each of [client, ...[200, 401, 503].map(echo)]) {
        const ran = yield* run(line, each)
        expectNoKey(ran)
        expectSent(ran)
      }
    }
  }))

/** Commands of configuration and diagnostics, and of an operation. */
const localLines = [
  "config list --show-origin",
  "config get base-url -v",
  `config set api-key ${canary}`,
  `config set base-url https://user:${canary}@host.test`,
  `config set ${canary} x`,
  "config unset key",
  `alias set treasury ${canary}`,
  "auth status -v",
  "doctor -v",
  "api tokenPrice address={token} -i -v",
  `api tokenPrice address={token} key=${canary}`,
  `${price} --curl -v`,
  `${price} -v`,
  "auth logout"
]

it.live("does not print a stored key, and writes it to no other file", () =>
  Effect.gen(function*() {
    const { home, keyFile, project, run, writeUser } = yield* directories
    const service = `base-url: ${sandboxEnvironment.QUARRY_BASE_URL}\n`
    const input = piped(`${canary}\n`)
    const sent: Array<string | undefined> = []
    for (const each of [yield* sandbox(), echo(401)]) {
      const client = HttpClient.mapRequestInput(each, (request) => {
        sent.push(request.headers["x-api-key"])
        return request
      })
      for (const text of [service, `${service}api-key: ${canary}\n`]) {
        expectNoKey(yield* run(["auth", "login", "--no-verify"], { client, input }))
        writeUser(text)
        for (const line of localLines) expectNoKey(yield* run(parse(line).argv, { client }))
        // With a key in a configuration file, no command sends it
        expect(new Set(sent.splice(0))).toEqual(new Set(text === service ? [canary] : []))
      }
    }
    writeUser("")
    yield* run(["auth", "login", "--no-verify"], { input })
    const files = [home, project].flatMap((directory) =>
      fs.readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile()).map(({ name, parentPath }) => join(parentPath, name))
    )
    expect(files.filter((file) => fs.readFileSync(file, "utf8").includes(canary.slice(0, 10)))).toEqual([
      keyFile("default")
    ])
  }))
