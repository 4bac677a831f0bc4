/** `quarry doctor`: what it finds, and what it advises. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { isProxyUrl, proxyFor } from "../../src/connection/ProxyVariables.ts"
import { checkCertificate, checkClock, type Finding } from "../../src/diagnostics/Doctor.ts"
import { directories } from "../config/support.ts"
import type { RunResult } from "../support/quarry.ts"
import { respondingWith } from "../support/stubClient.ts"
import { serveSandbox } from "./support.ts"

const allFindings = ({ out }: RunResult): ReadonlyArray<Finding> => JSON.parse(out)

const findingsOf = (ran: RunResult): ReadonlyMap<string, Finding> =>
  new Map(allFindings(ran).map((finding) => [finding.check, finding]))

/** Returns a port on which nothing listens. */
const closedPort = Effect.promise(() =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" ? address?.port ?? 0 : 0))
    })
  })
)

/** Runs the checks with the environment. */
const check = (
  env: Readonly<Record<string, string>>,
  client?: HttpClient.HttpClient,
  ...options: ReadonlyArray<string>
) =>
  Effect.gen(function*() {
    const { run } = yield* directories
    const ran = yield* run([...json, ...options], { env, ...client === undefined ? {} : { client } })
    return { ...ran, findings: findingsOf(ran) }
  }).pipe(Effect.scoped)

const json = ["doctor", "-o", "json"]

const someKey = { QUARRY_API_KEY: "some-key" }

const price = respondingWith(`{"usdPrice":1}`).client

/** The environment of a server with the sandbox, and a client for it. */
const served = Effect.all({ env: serveSandbox, client: HttpClient.HttpClient })

describe("quarry doctor", () => {
  it.live("exits with status 0 if a real service answers and accepts the key", () =>
    Effect.gen(function*() {
      const { client, env } = yield* served
      const ran = yield* check(env, client)
      expect(ran).toMatchObject({ code: 0, err: "" })
      expect([...ran.findings].map(([check, { status }]) => `${check}: ${status}`)).toEqual([
        "node: ok",
        "configuration: skipped",
        "profile: ok",
        "local limits: ok",
        "base-url: connection: ok",
        "API key: ok",
        "service: ok",
        "clock: ok"
      ])
      expect(ran.findings.get("API key")?.message)
        .toMatch(/^sha256:[0-9a-f]{8} from QUARRY_API_KEY: accepted$/)
      expect(ran.out).not.toContain(Sandbox.apiKey)
      const text = yield* (yield* directories).run(["doctor"], { client, env })
      expect(text.out).toMatch(/^ok {6}node: Node\.js v\d+/)
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))

  it.live("checks the sandbox with --sandbox, without a network", () =>
    Effect.gen(function*() {
      const ran = yield* check({}, undefined, "--sandbox")
      expect([ran.code, ran.findings.get("sandbox")?.status]).toEqual([0, "ok"])
      const csv = yield* (yield* directories).run(["doctor", "--sandbox", "-o", "csv"])
      expect(csv.out).toMatch(/^check,status,message,fix\r\nnode,ok,[^,]+,\r\n/)
    }).pipe(Effect.scoped))

  it.live("advises what to do without a base URL, without a key, and with a rejected one", () =>
    Effect.gen(function*() {
      const { client, env } = yield* served
      const nothing = yield* check({})
      expect(nothing).toMatchObject({ code: 1, err: expect.stringContaining("1 of 5 checks failed") })
      expect(nothing.findings.get("base URL")?.fix).toContain("quarry config set base-url")
      const noKey = yield* check({ ...env, QUARRY_API_KEY: "" }, client)
      expect(noKey).toMatchObject({ code: 1 })
      expect(noKey.findings.get("API key")?.fix).toBe("quarry auth login, or set QUARRY_API_KEY")
      const rejected = yield* check({ ...env, QUARRY_API_KEY: Sandbox.revokedApiKey }, client)
      expect([rejected.code, rejected.findings.get("API key")]).toEqual([1, {
        check: "API key",
        status: "failed",
        message: expect.stringMatching(/: rejected$/),
        fix: "set QUARRY_API_KEY to another key, or unset it"
      }])
      expect(rejected.out + rejected.err).not.toContain(Sandbox.revokedApiKey)
      const { keyFile, run } = yield* directories
      fs.mkdirSync(join(keyFile("default"), ".."), { recursive: true })
      fs.writeFileSync(keyFile("default"), Sandbox.revokedApiKey, { mode: 0o600 })
      const stored = yield* run(json, { client, env: { ...env, QUARRY_API_KEY: "" } })
      expect(findingsOf(stored).get("API key")?.fix).toBe("quarry auth login stores another key")
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))

  it.live("reports a base URL with a path that the service does not have", () =>
    Effect.gen(function*() {
      const { client, env } = yield* served
      const ran = yield* check({ ...env, QUARRY_BASE_URL: `${env["QUARRY_BASE_URL"]}/foo` }, client)
      expect(ran).toMatchObject({ code: 1, err: expect.stringContaining("1 of 7 checks failed") })
      expect(ran.findings.get("base URL")).toEqual({
        check: "base URL",
        status: "failed",
        message: "the service has no such path",
        fix: "check the path of the base URL (QUARRY_BASE_URL)"
      })
      expect(ran.findings.get("API key")).toMatchObject({
        status: "warning",
        message: expect.stringContaining("not checked")
      })
      const website = respondingWith("<html></html>", 404, { "content-type": "text/html" })
      const other = yield* check(env, website.client)
      expect([other.code, other.findings.get("base URL")?.status]).toEqual([1, "failed"])
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))

  it.live("names the step that fails: name, connection or TLS", () =>
    Effect.gen(function*() {
      const { client, env: { QUARRY_BASE_URL = "" } } = yield* served
      const cases: ReadonlyArray<readonly [string, RegExp, RegExp]> = [
        [
          "http://no-such-host.invalid",
          /name cannot be resolved: (?:ENOTFOUND|EAI_AGAIN)/,
          /spelling of the base URL/
        ],
        [
          `http://127.0.0.1:${yield* closedPort}`,
          /cannot connect: connection refused \(ECONNREFUSED\)/,
          /that the service runs, and its port/
        ],
        [QUARRY_BASE_URL.replace("http:", "https:"), /TLS fails: \S+/, /NODE_EXTRA_CA_CERTS/]
      ]
      for (const [url, message, fix] of cases) {
        const { code, findings } = yield* check({ QUARRY_BASE_URL: url, ...someKey }, client)
        expect([url, code, findings.get("base-url: connection")]).toEqual([url, 1, {
          check: "base-url: connection",
          status: "failed",
          message: expect.stringMatching(message),
          fix: expect.stringMatching(fix)
        }])
        expect(findings.get("API key")?.status).toBe("skipped")
      }
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)), 30_000)

  it.live("checks the proxy that the environment names, and never shows its password", () =>
    Effect.gen(function*() {
      const port = yield* closedPort
      const proxy = `http://ana:hunter22@127.0.0.1:${port}`
      const env = { QUARRY_BASE_URL: "https://data.test", ...someKey }
      const connection = (variables: Readonly<Record<string, string>>) =>
        Effect.map(check({ ...env, ...variables }, price), ({ err, findings, out }) => {
          expect(out + err).not.toContain("hunter22")
          return findings.get("base-url: connection")
        })
      expect(yield* connection({ HTTPS_PROXY: proxy })).toMatchObject({
        status: "failed",
        message: `proxy 127.0.0.1:${port} for data.test: cannot connect: connection refused (ECONNREFUSED)`,
        fix: "check that the proxy runs, or unset HTTPS_PROXY"
      })
      for (const HTTPS_PROXY of ["proxy.test:3128", "socks5://proxy.test"]) {
        expect(yield* connection({ HTTPS_PROXY })).toMatchObject({
          status: "failed",
          message: "HTTPS_PROXY is not the URL of an HTTP proxy"
        })
      }
      expect((yield* connection({ QUARRY_BASE_URL: "http://data.test", HTTP_PROXY: proxy }))?.fix).toBe(
        "check that the proxy runs, or unset HTTP_PROXY"
      )
    }))

  it.live("compares the clock with the Date header", () =>
    Effect.gen(function*() {
      const { QUARRY_BASE_URL = "" } = yield* serveSandbox
      const { client } = respondingWith(`{"address":"0x01","active_chains":[]}`, 200, {
        "content-type": "application/json",
        "date": "Tue, 01 Jan 2019 00:00:00 GMT"
      })
      const { code, findings } = yield* check({ QUARRY_BASE_URL, ...someKey }, client)
      expect([code, findings.get("clock")]).toEqual([0, {
        check: "clock",
        status: "warning",
        message: expect.stringMatching(/^\d+ s ahead of the service$/),
        fix: expect.stringContaining("NTP")
      }])
    }).pipe(Effect.scoped))

  it.live("reports every problem of the configuration, and an API key that others can read", () =>
    Effect.gen(function*() {
      const { keyFile, run, userFile, writeProject, writeUser } = yield* directories
      writeUser("chan: eth\nchain: mars\n")
      writeProject("base-url: https://evil.test\n")
      fs.mkdirSync(join(keyFile("default"), ".."), { recursive: true })
      fs.writeFileSync(keyFile("default"), "some-key", { mode: 0o644 })
      const ran = yield* run([...json, "--sandbox"])
      expect(ran.code).toBe(1)
      const findings = allFindings(ran)
      expect(findings.filter(({ check }) => check === "configuration").map(({ message }) => message)).toEqual(
        [
          expect.stringContaining("base-url: not allowed in a project file"),
          expect.stringContaining(`${userFile}:1: unknown setting "chan"`),
          expect.stringContaining(`${userFile}:2: chain: expected one of`)
        ]
      )
      expect(findings).toContainEqual({
        check: "API key file",
        status: "warning",
        message: `${keyFile("default")}: other users can read it`,
        fix: `chmod 600 ${keyFile("default")}`
      })
    }).pipe(Effect.scoped))

  it.live("reports an invalid --base-url, as every other command does", () =>
    Effect.gen(function*() {
      const { code, findings } = yield* check({}, undefined, "--base-url", "foo")
      const message = "--base-url: not a URL; expected https://host/path"
      expect([code, findings.get("configuration")?.message]).toEqual([1, message])
      expect(yield* (yield* directories).run(["auth", "status", "--base-url", "foo"])).toMatchObject({
        code: 2,
        err: expect.stringContaining(message)
      })
    }).pipe(Effect.scoped))

  it.live("warns if the key is sent without encryption", () =>
    Effect.gen(function*() {
      const server = yield* Effect.acquireRelease(
        Effect.promise(() =>
          new Promise<ReturnType<typeof createServer>>((resolve) => {
            const listening = createServer((socket) => socket.destroy()).listen(
              0,
              "0.0.0.0",
              () => resolve(listening)
            )
          })
        ),
        (listening) => Effect.sync(() => listening.close())
      )
      const address = server.address()
      const port = typeof address === "object" ? address?.port ?? 0 : 0
      const { findings } = yield* check({ QUARRY_BASE_URL: `http://0.0.0.0:${port}`, ...someKey }, price)
      expect(findings.get("base-url: TLS")).toMatchObject({
        status: "warning",
        message: expect.stringContaining("without encryption")
      })
    }).pipe(Effect.scoped))
})

it("warns two weeks before a certificate expires", () => {
  const now = Date.UTC(2026, 0, 1)
  const certificate = (days: number) => ({ issuer: "Test CA", validTo: new Date(now + days * 86_400_000) })
  expect(checkCertificate("TLS", certificate(90), now)).toMatchObject({
    status: "ok",
    message: "certificate of Test CA until 2026-04-01"
  })
  expect(checkCertificate("TLS", certificate(13), now)).toMatchObject({
    status: "warning",
    message: "certificate of Test CA until 2026-01-14: 13 days left"
  })
  expect(checkCertificate("TLS", certificate(-1), now).message).toContain("0 days left")
})

it("tolerates a clock that differs by a minute", () => {
  expect(checkClock(60_000).status).toBe("ok")
  expect(checkClock(-61_000)).toMatchObject({ status: "warning", message: "61 s behind the service" })
})

it.each<readonly [Readonly<Record<string, string>>, string, string | null]>([
  [{}, "https://a.test", null],
  [{ HTTPS_PROXY: "http://p.test" }, "https://a.test", "http://p.test"],
  [{ HTTPS_PROXY: "http://p.test" }, "http://a.test", null],
  [{ HTTP_PROXY: "http://p.test" }, "https://a.test", "http://p.test"],
  [
    { HTTPS_PROXY: "http://upper.test", https_proxy: "http://lower.test" },
    "https://a.test",
    "http://lower.test"
  ],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: "b.test,a.test" }, "https://a.test", null],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: ".a.test" }, "https://sub.a.test", null],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: "a.test:8443" }, "https://a.test", "http://p.test"],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: "a.test:443" }, "https://a.test", null],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: "evila.test" }, "https://a.test", "http://p.test"],
  [{ HTTPS_PROXY: "http://p.test", NO_PROXY: "*" }, "https://a.test", null]
])("with %j, %s is reached through %s", (variables, url, proxy) => {
  expect(proxyFor((name) => variables[name] ?? "", new URL(url))?.value ?? null).toBe(proxy)
})

it("recognizes URLs of HTTP proxies", () => {
  expect(["http://p:8080", "https://u:p@p", "socks5://p", "p:8080", ""].map(isProxyUrl)).toEqual([
    true,
    true,
    false,
    false,
    false
  ])
})
