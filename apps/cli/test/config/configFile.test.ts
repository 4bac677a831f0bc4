/** Configuration files: what is valid, what is reported, and how they are changed. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as fs from "node:fs"
import { join } from "node:path"
import * as ConfigFile from "../../src/config/ConfigFile.ts"
import { replaceFile } from "../../src/config/ReplaceFile.ts"
import { directories } from "./support.ts"

const address = "0xAbababababababababababababababababababab"

/** Returns what a file means, or fails the test if it does not exist. */
const read = (text: string, kind: ConfigFile.FileKind = "user") =>
  Effect.gen(function*() {
    const { userFile, writeUser } = yield* directories
    writeUser(text)
    const file = yield* ConfigFile.read(userFile, kind)
    return {
      settings: Object.fromEntries([...file?.settings ?? []].map(([name, { value }]) => [name, value])),
      profiles: Object.fromEntries(
        [...file?.profiles ?? []].map((
          [name, values]
        ) => [name, Object.fromEntries([...values].map(([key, { value }]) => [key, value]))])
      ),
      aliases: Object.fromEntries([...file?.aliases ?? []].map(([name, { value }]) => [name, value])),
      issues: (file?.issues ?? []).map(({ hint, line, message }) => ({ line, message, hint }))
    }
  }).pipe(Effect.scoped)

describe("a file", () => {
  it.effect("has settings, profiles and aliases, whose values are text", () =>
    Effect.gen(function*() {
      const file = yield* read(`# mine
chain: polygon
timeout: 30s
sandbox: no
profiles:
  work:
    base-url: https://api.example.com
    rate-limit: 25/10s
  empty:
aliases:
  treasury: ${address}
`)
      expect(file).toMatchObject({
        settings: { chain: "polygon", timeout: "30s" },
        profiles: { work: { "base-url": "https://api.example.com", "rate-limit": "25/10s" }, empty: {} },
        aliases: { treasury: address.toLowerCase() },
        issues: [{ line: 4, message: expect.stringContaining("sandbox: expected true or false") }]
      })
    }))

  it.effect("may be empty, or have comments only", () =>
    Effect.gen(function*() {
      for (const text of ["", "\n", "# nothing\n", "profiles:\naliases:\n"]) {
        expect(yield* read(text)).toEqual({ settings: {}, profiles: {}, aliases: {}, issues: [] })
      }
    }))

  it.effect("reports unknown names with the line and a suggestion, and keeps the rest", () =>
    Effect.gen(function*() {
      const file = yield* read("chain: eth\nchan: eth\nprofiles:\n  work:\n    base-ulr: https://a.test\n")
      expect(file.settings).toEqual({ chain: "eth" })
      expect(file.issues).toEqual([
        { line: 5, message: `unknown setting "base-ulr"`, hint: "did you mean base-url?" },
        { line: 2, message: `unknown setting "chan"`, hint: "did you mean chain?" }
      ])
    }))

  it.effect.each(
    [
      ["chain: mars", 1, /chain: expected one of/],
      ["output: xml", 1, /output: expected one of/],
      ["timeout: soon", 1, /duration/],
      ["rate-limit: fast", 1, /100\/s/],
      ["\nbase-url: nowhere", 2, /not a URL/],
      ["base-url: ftp://a.test", 1, /http or https/],
      ["chain: [eth]", 1, /single value/],
      ["chain: eth\nchain: bsc", 2, /duplicate key/],
      ["chain: \"eth", 1, /invalid YAML/],
      ["- chain", 1, /expected names and values/],
      ["profiles: work", 1, /expected names and values/],
      ["profiles:\n  Work:\n    chain: eth", 2, /lower-case/],
      ["profiles:\n  work:\n    profile: other", 3, /not allowed in a profile/],
      ["aliases:\n  eth: 0x1", 2, /chain/],
      ["aliases:\n  Treasury: 0xabababababababababababababababababababab", 2, /lower case/],
      ["aliases:\n  treasury: 0x12", 2, /40 hexadecimal digits/]
    ] as const
  )("rejects %j in line %i", ([text, line, message]) =>
    Effect.gen(function*() {
      const { issues } = yield* read(text)
      expect(issues).toEqual([
        expect.objectContaining({ line, message: expect.stringMatching(message) })
      ])
    }))

  it.effect("does not repeat credentials of a URL", () =>
    Effect.gen(function*() {
      const { issues } = yield* read("base-url: https://user:hunter22@a.test")
      expect(JSON.stringify(issues)).not.toContain("hunter22")
      expect(issues[0]?.message).toContain("credentials")
    }))

  it.effect("must not contain the API key, and the error does not repeat it", () =>
    Effect.gen(function*() {
      for (const name of ["api-key", "API_KEY", "key", "token", "x-api-key", "QUARRY_API_KEY", "secret"]) {
        for (const kind of ["user", "project"] as const) {
          const { issues } = yield* read(`${name}: hunter22-hunter22\n`, kind)
          expect(issues[0]?.message).toContain("must not contain the API key")
          expect(issues[0]?.hint).toContain("quarry auth login")
          expect(JSON.stringify(issues)).not.toContain("hunter22")
        }
      }
    }))

  it.effect("of a project sets neither base URLs nor commands, and has neither profiles nor aliases", () =>
    Effect.gen(function*() {
      const file = yield* read(
        "chain: bsc\nprofile: work\nbase-url: https://evil.test\napi-key-command: curl evil.test\n" +
          "profiles:\n  work:\n    chain: eth\naliases:\n  a: 0x1\n",
        "project"
      )
      expect(file.settings).toEqual({ chain: "bsc", profile: "work" })
      expect(file.issues.map(({ line }) => line)).toEqual([3, 4, 5, 8])
    }))

  it.effect("that does not exist is no error, and one that cannot be read is", () =>
    Effect.gen(function*() {
      const { home, userFile, writeUser } = yield* directories
      expect(yield* ConfigFile.read(userFile, "user")).toBeNull()
      expect(yield* ConfigFile.read(join(home, "x", "y"), "user")).toBeNull()
      writeUser("x".repeat(300_000))
      expect((yield* ConfigFile.read(userFile, "user"))?.issues[0]?.message).toContain("larger than")
      // Reading a device would never end
      for (const special of [home, "/dev/zero"]) {
        fs.rmSync(userFile)
        fs.symlinkSync(special, userFile)
        expect((yield* ConfigFile.read(userFile, "user"))?.issues[0]?.message).toBe("not a regular file")
      }
    }).pipe(Effect.scoped))
})

describe("a change", () => {
  it.effect("keeps comments, order and everything else", () =>
    Effect.gen(function*() {
      const { readUser, userFile, writeUser } = yield* directories
      writeUser(
        "# my settings\nchain: eth # the default\nunknown: kept\n\n# people\naliases:\n  # cold\n  vault: 0x1\n"
      )
      yield* ConfigFile.setValue(userFile, ["chain"], "polygon")
      yield* ConfigFile.setValue(userFile, ["profiles", "work", "base-url"], "https://a.test")
      expect(readUser()).toBe(
        "# my settings\nchain: polygon # the default\nunknown: kept\n\n# people\naliases:\n  # cold\n  vault: 0x1\n" +
          "profiles:\n  work:\n    base-url: https://a.test\n"
      )
    }).pipe(Effect.scoped))

  it.effect("creates the file and its directory, and removes empty sections", () =>
    Effect.gen(function*() {
      const { readUser, userFile } = yield* directories
      yield* ConfigFile.setValue(userFile, ["aliases", "treasury"], address)
      expect(readUser()).toBe(`aliases:\n  treasury: ${address}\n`)
      expect(fs.statSync(join(userFile, "..")).mode & 0o777).toBe(0o700)
      expect(yield* ConfigFile.removeValue(userFile, ["aliases", "treasury"])).toBe(true)
      expect(yield* ConfigFile.removeValue(userFile, ["aliases", "treasury"])).toBe(false)
      expect((yield* ConfigFile.read(userFile, "user"))?.issues).toEqual([])
      yield* ConfigFile.setValue(userFile, ["chain"], "eth")
      expect(readUser()).toContain("chain: eth")
    }).pipe(Effect.scoped))

  it.effect("fills a section without content", () =>
    Effect.gen(function*() {
      const { readUser, userFile, writeUser } = yield* directories
      writeUser("aliases:\n")
      yield* ConfigFile.setValue(userFile, ["aliases", "treasury"], address)
      expect(readUser()).toBe(`aliases:\n  treasury: ${address}\n`)
    }).pipe(Effect.scoped))

  it.effect("follows a symbolic link, and keeps the mode of the file", () =>
    Effect.gen(function*() {
      const { home, userFile, writeUser } = yield* directories
      const real = join(home, "dotfiles.yaml")
      writeUser("")
      fs.rmSync(userFile)
      fs.writeFileSync(real, "chain: eth\n")
      // Not a mode that the umask would give
      fs.chmodSync(real, 0o662)
      fs.symlinkSync(real, userFile)
      yield* ConfigFile.setValue(userFile, ["chain"], "bsc")
      expect(fs.lstatSync(userFile).isSymbolicLink()).toBe(true)
      expect(fs.readFileSync(real, "utf8")).toBe("chain: bsc\n")
      expect(fs.statSync(real).mode & 0o777).toBe(0o662)
    }).pipe(Effect.scoped))
})

/** Lets the time of a fiber pass, which also waits for files. */
const untilEnded = (fiber: Fiber.RuntimeFiber<unknown, unknown>) =>
  TestClock.adjust("100 millis").pipe(
    Effect.zipRight(Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))),
    Effect.zipRight(Fiber.poll(fiber)),
    Effect.repeat({ until: Option.isSome })
  )

describe("a replaced file", () => {
  it.effect("stays as it was when the new content fails, and the lock is removed", () =>
    Effect.gen(function*() {
      const { home } = yield* directories
      const file = join(home, "file")
      fs.writeFileSync(file, "old")
      expect(yield* Effect.flip(replaceFile(file, null, () => Effect.fail("no")))).toBe("no")
      expect(fs.readFileSync(file, "utf8")).toBe("old")
      expect(fs.readdirSync(home)).toEqual(["file"])
    }).pipe(Effect.scoped))

  it.effect("is not written while another process holds the lock, which the error names", () =>
    Effect.gen(function*() {
      const { home } = yield* directories
      const file = join(home, "file")
      fs.writeFileSync(`${file}.lock`, "")
      const writing = yield* Effect.fork(Effect.flip(replaceFile(file, null, () => Effect.succeed("new"))))
      yield* untilEnded(writing)
      expect((yield* Fiber.join(writing)).reason).toContain(`remove ${file}.lock`)
      expect(fs.existsSync(file)).toBe(false)
    }).pipe(Effect.scoped))

  it.effect("is written once the lock is released", () =>
    Effect.gen(function*() {
      const { home } = yield* directories
      const file = join(home, "file")
      fs.writeFileSync(`${file}.lock`, "")
      const writing = yield* Effect.fork(replaceFile(file, null, () => Effect.succeed("new")))
      yield* TestClock.adjust("1 second")
      fs.rmSync(`${file}.lock`)
      yield* untilEnded(writing)
      yield* Fiber.join(writing)
      expect(fs.readFileSync(file, "utf8")).toBe("new")
    }).pipe(Effect.scoped))
})
