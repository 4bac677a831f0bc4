/** `quarry auth`: where keys are stored, which one applies, and that they are never shown. */
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { exampleValues } from "../../src/help/Help.ts"
import { records, type RunResult, sandboxEnvironment } from "../support/quarry.ts"
import { respondingWith } from "../support/stubClient.ts"
import { directories, piped, typed } from "./support.ts"

const key = "stored-Qd1xk.Vb_9-key"
const service = { QUARRY_BASE_URL: sandboxEnvironment.QUARRY_BASE_URL }

const expectNoKey = ({ err, out }: RunResult): void => expect(out + err).not.toContain(key.slice(0, 10))

it.live("stores a piped key in a file that only the user can read, also if it existed with another mode", () =>
  Effect.gen(function*() {
    const { keyFile, run } = yield* directories
    fs.mkdirSync(join(keyFile("default"), ".."), { recursive: true })
    fs.writeFileSync(keyFile("default"), "old", { mode: 0o644 })
    const ran = yield* run(["auth", "login", "--no-verify"], { input: piped(`${key}\n`) })
    expect(ran).toMatchObject({
      code: 0,
      out: "",
      err: expect.stringMatching(/sha256:[0-9a-f]{8}.*not checked/)
    })
    expectNoKey(ran)
    expect(fs.readFileSync(keyFile("default"), "utf8")).toBe(`${key}\n`)
    expect(fs.statSync(keyFile("default")).mode & 0o777).toBe(0o600)
    expect(fs.readdirSync(join(keyFile("default"), ".."))).toEqual(["default.key"])
  }).pipe(Effect.scoped))

it.live("checks the key with the service, and does not store one that is rejected", () =>
  Effect.gen(function*() {
    const { keyFile, run } = yield* directories
    const login = (text: string) => run(["auth", "login"], { env: service, input: typed(text) })
    const rejected = yield* login(Sandbox.revokedApiKey)
    expect(rejected).toMatchObject({ code: 4, err: expect.stringContaining("the key is not stored") })
    expect(rejected.err).not.toContain(Sandbox.revokedApiKey)
    expect(fs.existsSync(keyFile("default"))).toBe(false)
    const accepted = yield* login(Sandbox.apiKey)
    expect(accepted).toMatchObject({ code: 0, err: expect.stringContaining("accepted by the service") })
    expect(accepted.err).toContain("Paste the API key")
    expect((yield* run(["token", "price", exampleValues.token], { env: service })).code).toBe(0)
  }).pipe(Effect.scoped))

it.live("stores a key that cannot be checked, and says so", () =>
  Effect.gen(function*() {
    const { run } = yield* directories
    expect((yield* run(["auth", "login"], { input: piped(key) })).err).toContain("base-url is not set")
    const { client } = respondingWith("{}", 503)
    const ran = yield* run(["auth", "login"], { client, env: service, input: piped(key) })
    expect(ran).toMatchObject({ code: 0, err: expect.stringMatching(/not checked: .*503/) })
    expectNoKey(ran)
  }).pipe(Effect.scoped))

it.live("rejects no key, and a key that is invalid in a header, without repeating it", () =>
  Effect.gen(function*() {
    const { keyFile, run } = yield* directories
    for (const text of ["", "  \n", `${key}\nsecond line`, `${key}№`]) {
      const ran = yield* run(["auth", "login"], { input: piped(text) })
      expect([text, ran.code]).toEqual([text, 2])
      expectNoKey(ran)
    }
    expect(fs.existsSync(keyFile("default"))).toBe(false)
  }).pipe(Effect.scoped))

it.live("does not repeat a key that is passed as an argument", () =>
  Effect.gen(function*() {
    const { run } = yield* directories
    const ran = yield* run(["auth", "login", key])
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining("takes no arguments") })
    expectNoKey(ran)
  }).pipe(Effect.scoped))

it.live("does not ask with --no-input", () =>
  Effect.gen(function*() {
    const { run } = yield* directories
    expect(yield* run(["auth", "login", "--no-input"], { input: typed(key) })).toMatchObject({
      code: 2,
      err: expect.stringContaining("pipe it")
    })
    expect((yield* run(["auth", "login", "--no-input"], { input: piped(key) })).code).toBe(0)
  }).pipe(Effect.scoped))

it.live("keeps a key per profile, which login creates, and removes it", () =>
  Effect.gen(function*() {
    const { keyFile, run } = yield* directories
    const argv = ["auth", "login", "--no-verify", "--profile", "work"]
    expect((yield* run(argv, { input: piped(key) })).code).toBe(0)
    expect(fs.existsSync(keyFile("default"))).toBe(false)
    expect((yield* run(["auth", "status"])).code).toBe(4)
    expect(yield* run(["auth", "status", "--sandbox"])).toMatchObject({
      code: 0,
      err: "the sandbox requires no API key\n"
    })
    const status = yield* run(["auth", "status", "--profile", "work"])
    expectNoKey(status)
    expect(records(status.out)).toEqual([
      {
        profile: "work",
        source: keyFile("work"),
        fingerprint: expect.stringMatching(/^sha256:/),
        check: null
      }
    ])
    expect((yield* run(["auth", "logout", "--profile", "work"])).err).toContain("removed")
    expect(fs.existsSync(keyFile("work"))).toBe(false)
    expect(yield* run(["auth", "logout", "--profile", "work"])).toMatchObject({
      code: 0,
      err: expect.stringContaining("has no stored API key")
    })
  }).pipe(Effect.scoped))

it.live("shows that QUARRY_API_KEY takes precedence, and checks the key on request", () =>
  Effect.gen(function*() {
    const { run } = yield* directories
    const env = { ...service, QUARRY_API_KEY: Sandbox.revokedApiKey }
    const login = yield* run(["auth", "login", "--no-verify"], { env, input: piped(Sandbox.apiKey) })
    expect(login.err).toContain("QUARRY_API_KEY is set and takes precedence")
    const status = yield* run(["auth", "status", "--verify"], { env })
    expect(status).toMatchObject({ code: 4, out: expect.stringContaining("\"source\":\"QUARRY_API_KEY\"") })
    expect(status.out).toContain("rejected")
    const stored = yield* run(["auth", "status", "--verify"], { env: service })
    expect(stored).toMatchObject({ code: 0, out: expect.stringContaining("accepted by the service") })
    expect((yield* run(["auth", "logout"], { env })).err).toContain("QUARRY_API_KEY is still set")
  }).pipe(Effect.scoped))

it.live("reads the key from a command of the user, and protects it", () =>
  Effect.gen(function*() {
    const { run, userFile, writeUser } = yield* directories
    writeUser(`base-url: https://a.test\napi-key-command: printf '%s\\n' ${key}\n`)
    const { client, sent } = respondingWith(JSON.stringify({ message: `no such key: ${key}` }), 401)
    const ran = yield* run(["token", "price", exampleValues.token, "-v"], { client })
    expect(sent[0]?.headers["x-api-key"]).toBe(key)
    expect(ran.code).toBe(4)
    expectNoKey(ran)
    expect((yield* run(["auth", "status"])).out).toContain(`api-key-command (${userFile}:2)`)
  }).pipe(Effect.scoped))

it.live("reports a key command that fails or prints nothing", () =>
  Effect.gen(function*() {
    const { run, writeUser } = yield* directories
    for (
      const [command, reason] of [["exit 7", "exit code 7"], ["true", "printed nothing"], [
        "seq 9999",
        "more than"
      ]]
    ) {
      writeUser(`base-url: https://a.test\napi-key-command: ${command}\n`)
      expect(yield* run(["token", "price", exampleValues.token])).toMatchObject({
        code: 1,
        err: expect.stringMatching(new RegExp(`${reason}.*\\nhint: run the command in a shell`))
      })
    }
  }).pipe(Effect.scoped))
