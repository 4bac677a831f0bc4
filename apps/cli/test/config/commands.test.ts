/** `quarry config`, and how settings apply to commands. */
import { chainId, evmChains } from "@blockquarry/core/Chain"
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fc from "effect/FastCheck"
import * as fs from "node:fs"
import { join } from "node:path"
import { globalOptions } from "../../src/args/GlobalOptions.ts"
import { decodeArguments } from "../../src/args/OperationParameters.ts"
import { loadCommands } from "../../src/commands/Commands.ts"
import { findSetting, settings } from "../../src/config/Setting.ts"
import { exampleValues } from "../../src/help/Help.ts"
import { records } from "../support/quarry.ts"
import { respondingWith } from "../support/stubClient.ts"
import { directories, piped } from "./support.ts"

const { wallet } = exampleValues
const price = ["token", "price", exampleValues.token]

it("names settings like options", async () => {
  const specs = [...globalOptions, ...(await loadCommands()).flatMap(({ options }) => options)]
  const names = new Set(specs.map(({ name }) => name))
  const withoutOption = new Set(["api-key-command"])
  for (const { name } of settings) {
    // A switch that is on by default has an option that turns it off
    const hasOption = names.has(name) || names.has(`no-${name}`)
    expect([name, hasOption]).toEqual([name, !withoutOption.has(name)])
  }
})

describe("quarry config", () => {
  it.live("sets, prints and removes a setting", () =>
    Effect.gen(function*() {
      const { readUser, run, userFile } = yield* directories
      expect(yield* run(["config", "set", "chain", "polygon"])).toMatchObject({
        code: 0,
        out: "",
        err: `set chain to polygon in ${userFile}\n`
      })
      expect(readUser()).toBe("chain: polygon\n")
      expect(yield* run(["config", "get", "chain"])).toMatchObject({ code: 0, out: "polygon\n", err: "" })
      expect(yield* run(["config", "unset", "chain"])).toMatchObject({
        code: 0,
        err: `removed chain from ${userFile}\n`
      })
      expect(yield* run(["config", "get", "chain"])).toMatchObject({ code: 0, out: "eth\n" })
      expect((yield* run(["config", "unset", "chain"])).err).toContain("chain is not set")
    }).pipe(Effect.scoped))

  it.live("prints values that it accepts, also defaults", () =>
    Effect.gen(function*() {
      const { run } = yield* directories
      for (const { defaultNote, defaultValue, name } of settings) {
        const printed = yield* run(["config", "get", name], { env: { PAGER: "more" } })
        const hasValue = defaultValue !== null || defaultNote !== undefined
        expect([name, printed.code]).toEqual([name, hasValue ? 0 : 3])
        if (hasValue) {
          const set = yield* run(["config", "set", name, printed.out.trim()])
          expect([name, set.code]).toEqual([name, 0])
        }
      }
    }).pipe(Effect.scoped))

  it.effect.prop(
    "accepts the chains that --chain accepts",
    [
      fc.oneof(
        fc.constantFrom(...evmChains.flatMap((name) => [name, name.replaceAll(" ", "-"), chainId(name)])),
        fc.string({ minLength: 1, maxLength: 8 })
      ),
      fc.func(fc.boolean())
    ],
    ([spelling, isUpper]) =>
      Effect.sync(() => {
        const text = [...spelling].map((letter, index) => isUpper(index) ? letter.toUpperCase() : letter)
          .join("")
        const decoded = decodeArguments(walletTransfers, new Map([["address", [wallet]], ["chain", [text]]]))
        expect(findSetting("chain")?.check(text) === null).toBe(Either.isRight(decoded))
      })
  )

  it.live("reads only profiles that exist, and warns of one that a file selects", () =>
    Effect.gen(function*() {
      const { run, writeUser } = yield* directories
      writeUser("profile: gone\nprofiles:\n  work:\n    chain: bsc\n")
      for (const argv of [["config", "get", "chain"], ["config", "list"]]) {
        const expected = {
          code: 2,
          out: "",
          err: expect.stringMatching(/unknown profile "wrok" .*default, work\nhint: did you mean work\?/)
        }
        expect(yield* run([...argv, "--profile", "wrok"])).toMatchObject(expected)
        expect(yield* run(argv, { env: { QUARRY_PROFILE: "wrok" } })).toMatchObject(expected)
        expect(yield* run(argv)).toMatchObject({
          code: 0,
          err: expect.stringContaining("warning: unknown profile \"gone\"")
        })
      }
      const doctor = yield* run(["doctor", "--sandbox", "--profile", "wrok"])
      expect(doctor.out).toMatch(/unknown profile "wrok" .*\n +fix: did you mean work\?/)
    }).pipe(Effect.scoped))

  it.live("names the line of invalid YAML once, and says what to do", () =>
    Effect.gen(function*() {
      const { readUser, run, userFile, writeUser } = yield* directories
      writeUser("chain: eth\n  bad: [\n")
      expect(yield* run(["config", "set", "chain", "bsc"])).toMatchObject({
        code: 1,
        err: `error: ${userFile}:1: invalid YAML: block as implicit key\n` +
          "hint: correct it in an editor; the file was not changed\n"
      })
      expect(readUser()).toBe("chain: eth\n  bad: [\n")
      expect((yield* run(["config", "get", "chain"])).err.match(/warning:/g)).toHaveLength(1)
    }).pipe(Effect.scoped))

  it.live("sets only profiles that exist", () =>
    Effect.gen(function*() {
      const { run, writeUser } = yield* directories
      writeUser("profiles:\n  work:\n    chain: eth\n")
      expect(yield* run(["config", "set", "profile", "home"])).toMatchObject({
        code: 2,
        err: expect.stringMatching(
          /unknown profile "home"; known profiles: default, work\nhint: create it: quarry config set --profile home/
        )
      })
      expect((yield* run(["config", "set", "profile", "wrok"])).err).toContain("did you mean work?")
      expect((yield* run(["config", "set", "profile", "work"])).code).toBe(0)
      yield* run(["auth", "login", "--no-verify", "--profile", "home"], { input: piped("key-1") })
      expect((yield* run(["config", "set", "profile", "home"])).code).toBe(0)
    }).pipe(Effect.scoped))

  it.live("writes to a profile that the option or the variable selects", () =>
    Effect.gen(function*() {
      const { readUser, run } = yield* directories
      yield* run(["config", "set", "base-url", "https://a.test", "--profile", "work"])
      yield* run(["config", "set", "chain", "base"], { env: { QUARRY_PROFILE: "work" } })
      yield* run(["config", "set", "profile", "work", "--profile", "other"])
      expect(readUser()).toBe(
        "profiles:\n  work:\n    base-url: https://a.test\n    chain: base\nprofile: work\n"
      )
      expect((yield* run(["config", "get", "chain"])).out).toBe("base\n")
      expect((yield* run(["config", "get", "chain", "--profile", "default"])).out).toBe("eth\n")
    }).pipe(Effect.scoped))

  it.live("writes to the project file, which cannot set base URLs, commands or the key", () =>
    Effect.gen(function*() {
      const { projectFile, run } = yield* directories
      expect((yield* run(["config", "set", "chain", "bsc", "--project"])).code).toBe(0)
      expect(fs.readFileSync(projectFile, "utf8")).toBe("chain: bsc\n")
      expect((yield* run(["config", "path", "--project"])).out).toBe(`${projectFile}\n`)
      for (
        const [name, value] of [["base-url", "https://a.test"], ["api-key-command", "x"], ["api-key", "x"]]
      ) {
        const ran = yield* run(["config", "set", name ?? "", value ?? "", "--project"])
        expect([name, ran.code]).toEqual([name, 2])
      }
      expect(fs.readFileSync(projectFile, "utf8")).toBe("chain: bsc\n")
    }).pipe(Effect.scoped))

  it.live("says if another source takes precedence over what it wrote", () =>
    Effect.gen(function*() {
      const { run } = yield* directories
      const ran = yield* run(["config", "set", "chain", "bsc"], { env: { QUARRY_CHAIN: "palm" } })
      expect(ran.err).toContain("note: QUARRY_CHAIN takes precedence: chain is palm")
    }).pipe(Effect.scoped))

  it.live("lists all settings, with their origins", () =>
    Effect.gen(function*() {
      const { projectFile, run, userFile, writeProject, writeUser } = yield* directories
      writeUser("output: json\nprofiles:\n  work:\n    chain: base\n")
      writeProject("timeout: 30s\n")
      const argv = ["config", "list", "--show-origin", "--profile", "work", "-o", "ndjson"]
      const { code, out } = yield* run(argv, { env: { QUARRY_UTC: "true" } })
      expect(code).toBe(0)
      const origins = Object.fromEntries(
        records(out).map(({ origin, setting, value }) => [setting, [value, origin]])
      )
      expect(Object.keys(origins)).toEqual(settings.map(({ name }) => name))
      expect(origins).toMatchObject({
        "base-url": [null, "not set"],
        "profile": ["work", "--profile"],
        "chain": ["base", `${userFile}:4 (profile work)`],
        "timeout": ["30s", `${projectFile}:1`],
        "utc": ["true", "QUARRY_UTC"],
        "output": ["ndjson", "--output"],
        "rate-limit": ["100/s", "default"]
      })
    }).pipe(Effect.scoped))

  it.live("prints the path of the file", () =>
    Effect.gen(function*() {
      const { run, userFile } = yield* directories
      expect(yield* run(["config", "path"])).toMatchObject({ code: 0, out: `${userFile}\n` })
      expect(yield* run(["config", "path"], { env: { HOME: "" } })).toMatchObject({
        code: 1,
        err: expect.stringContaining("set HOME")
      })
    }).pipe(Effect.scoped))

  it.live("corrects a file that stops other commands", () =>
    Effect.gen(function*() {
      const { run, userFile, writeUser } = yield* directories
      writeUser("chan: eth\nchain: mars\n")
      expect(yield* run([...price, "--sandbox"])).toMatchObject({
        code: 2,
        out: "",
        err: expect.stringContaining(`${userFile}:1: unknown setting "chan"`)
      })
      expect((yield* run(["config", "list"])).err).toContain(`warning: ${userFile}:2: chain: expected one of`)
      expect((yield* run(["config", "unset", "chan"])).code).toBe(0)
      expect((yield* run(["config", "set", "chain", "eth"])).code).toBe(0)
      expect((yield* run([...price, "--sandbox"])).code).toBe(0)
    }).pipe(Effect.scoped))

  it.live("reports that the file cannot be written", () =>
    Effect.gen(function*() {
      const { home, run } = yield* directories
      fs.writeFileSync(join(home, ".config"), "")
      expect(yield* run(["config", "set", "chain", "eth"])).toMatchObject({
        code: 1,
        err: expect.stringMatching(/cannot write the file: .*(?:ENOTDIR|EEXIST)/)
      })
    }).pipe(Effect.scoped))
})

it.live.each(
  [
    ["config get base-url", 3, /base-url is not set\n.*quarry config set base-url/],
    ["config get chan", 2, /did you mean chain\?/],
    ["config unset chan", 2, /did you mean chain\?/],
    ["config set base-ulr https://a.test", 2, /did you mean base-url\?/],
    ["config set chain mars", 2, /chain: expected one of/],
    ["config set utc yes", 2, /did you mean true\?/],
    ["config set color alwyas", 2, /did you mean always\?/],
    ["config set timeout 30", 2, /for example 30s/],
    ["config set pager ", 2, /pager: the value is empty\n.*quarry config unset pager/],
    [`${price.join(" ")} --sandbox --profile Work`, 2, /lower-case/],
    [
      `${price.join(" ")} --sandbox --profile x`,
      2,
      /unknown profile "x" \(--profile\); known profiles: default\n.*config set --profile x base-url <url>/
    ]
  ] as const
)("quarry %s fails with status %i, and writes nothing", ([line, code, err]) =>
  Effect.gen(function*() {
    const { run, userFile } = yield* directories
    expect(yield* run(line.split(" "))).toMatchObject({ code, out: "", err: expect.stringMatching(err) })
    expect(fs.existsSync(userFile)).toBe(false)
  }).pipe(Effect.scoped))

describe("a setting", () => {
  it.live("applies only to commands with its option", () =>
    Effect.gen(function*() {
      const { run, writeUser } = yield* directories
      writeUser("timeout: 1ms\n")
      const client = HttpClient.make(() => Effect.never)
      const env = { QUARRY_API_KEY: "key", QUARRY_BASE_URL: "http://upstream.test" }
      expect((yield* run([...price, "--verbose"], { client, env })).code).toBe(7)
      expect((yield* run(["man"])).code).toBe(0)
      writeUser("chain: polygon\n")
      expect((yield* run(["ledger", "tx", exampleValues.transaction, "--sandbox"])).code).toBe(0)
    }).pipe(Effect.scoped))

  it.live("timeout ends neither watches nor exports", () =>
    Effect.gen(function*() {
      const { project, run, writeUser } = yield* directories
      writeUser("timeout: 1ms\nsandbox: true\n")
      const transfers = ["token", "transfers", exampleValues.token]
      const watched = yield* run(["watch", ...transfers, "--since", "0", "--max-items", "3", "-o", "ndjson"])
      expect([watched.code, records(watched.out).length]).toEqual([0, 3])
      const file = join(project, "transfers.ndjson")
      const exported = yield* run([...transfers, "--max-items", "3", "--to", file])
      expect([exported.code, records(fs.readFileSync(file, "utf8")).length]).toEqual([0, 3])
    }).pipe(Effect.scoped))

  it.live("color of a file yields to NO_COLOR, and NO_COLOR to the option", () =>
    Effect.gen(function*() {
      const { run, writeUser } = yield* directories
      writeUser("color: always\n")
      const hasColors = (env: Readonly<Record<string, string>>, ...options: ReadonlyArray<string>) =>
        Effect.map(run(["explain", "5", ...options], { env }), ({ out }) => out.includes("\u001b["))
      expect(yield* hasColors({})).toBe(true)
      expect(yield* hasColors({ NO_COLOR: "1" })).toBe(false)
      expect(yield* hasColors({ NO_COLOR: "1" }, "--color", "always")).toBe(true)
      expect(yield* hasColors({ NO_COLOR: "1", QUARRY_COLOR: "always" })).toBe(true)
    }).pipe(Effect.scoped))

  it.live("applies like its option, which takes precedence", () =>
    Effect.gen(function*() {
      const { run, writeUser } = yield* directories
      writeUser("output: json\nchain: polygon\nsandbox: true\n")
      const { client, sent } = respondingWith(`{"usdPrice":1}`)
      expect((yield* run(price, { client })).out).toMatch(/^\{\n/)
      expect((yield* run([...price, "--chain", "bsc", "-o", "ndjson"], { client })).out).toMatch(/^\{"/)
      expect(sent.map(({ url }) => new URL(url).searchParams.get("chain"))).toEqual(["0x89", "0x38"])
    }).pipe(Effect.scoped))

  it.live("that an operation does not support is reported with its origin", () =>
    Effect.gen(function*() {
      const { run, userFile, writeUser } = yield* directories
      writeUser("chain: palm\n")
      const ran = yield* run(["wallet", "nft-trades", exampleValues.wallet, "--sandbox"])
      expect(ran).toMatchObject({
        code: 2,
        err: expect.stringContaining(`${userFile}:1 sets chain; pass --chain to override it`)
      })
    }).pipe(Effect.scoped))

  it.live("of the service comes from the profile, with the key of the profile", () =>
    Effect.gen(function*() {
      const { keyFile, run, writeUser } = yield* directories
      writeUser("profiles:\n  work:\n    base-url: https://work.test\n")
      fs.mkdirSync(join(keyFile("work"), ".."), { recursive: true })
      fs.writeFileSync(keyFile("work"), "key-of-work\n")
      const { client, sent } = respondingWith(`{"usdPrice":1}`)
      expect((yield* run([...price, "--profile", "work"], { client })).code).toBe(0)
      expect(
        (yield* run(price, { client, env: { QUARRY_PROFILE: "work", QUARRY_API_KEY: "from-env" } })).code
      ).toBe(0)
      expect(sent.map(({ headers, url }) => [new URL(url).host, headers["x-api-key"]])).toEqual([
        ["work.test", "key-of-work"],
        ["work.test", "from-env"]
      ])
    }).pipe(Effect.scoped))

  it.live("of the sandbox gives way to a base URL on the command line only", () =>
    Effect.gen(function*() {
      const { run, writeProject } = yield* directories
      writeProject("sandbox: true\n")
      const env = { QUARRY_API_KEY: "some-key", QUARRY_BASE_URL: "https://a.test" }
      const { client, sent } = respondingWith(`{"usdPrice":1}`)
      expect((yield* run(price, { client, env })).err).toContain("sandbox mode")
      expect((yield* run([...price, "--base-url", "https://b.test"], { client, env })).err).toBe("")
      expect(sent.map(({ url }) => new URL(url).host)).toEqual(["sandbox.invalid", "b.test"])
    }).pipe(Effect.scoped))
})
