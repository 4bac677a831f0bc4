/** The image: its content, and that it runs without root privileges and with a read-only file system. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import * as ProxyProcess from "../fleet/support/ProxyProcess.ts"
import { distribution } from "../support/Process.ts"
import { examples, sendRequest } from "../support/proxy.ts"
import * as Files from "./support/files.ts"

/** The user ID of the program in the image. */
const user = 65532

/** The output of the script. */
const assemble = (folder: string): string =>
  execFileSync(process.execPath, [join(Files.root, "scripts/image.mjs"), folder, distribution], {
    encoding: "utf8",
    stdio: "pipe",
    env: { ...process.env, SOURCE_DATE_EPOCH: "1700000000" }
  })

interface Entry {
  readonly path: string
  readonly isFile: boolean
  readonly mode: number
  readonly time: number
  readonly digest: string
}

/** Returns a directory and everything below it. */
const entriesOf = (folder: string): ReadonlyArray<Entry> =>
  [".", ...readdirSync(folder, { recursive: true, encoding: "utf8" })].toSorted().map((path) => {
    const stats = statSync(join(folder, path))
    const bytes = stats.isFile() ? readFileSync(join(folder, path)) : ""
    return {
      path,
      isFile: stats.isFile(),
      mode: stats.mode & 0o777,
      time: stats.mtimeMs,
      digest: createHash("sha256").update(bytes).digest("hex")
    }
  })

/** Removes all write permissions. */
const makeReadOnly = (folder: string): void => {
  for (const { isFile, path } of entriesOf(folder).toReversed()) {
    chmodSync(join(folder, path), isFile ? 0o444 : 0o555)
  }
}

/** Other users may read it. */
const parent = mkdtempSync(join(tmpdir(), "quarry-image-"))
const folder = join(parent, "image")
let output = ""

beforeAll(() => {
  chmodSync(parent, 0o755)
  output = assemble(folder)
}, 120_000)

afterAll(() => {
  // Only root can remove the content of a read-only directory
  for (const { isFile, path } of entriesOf(parent)) if (!isFile) chmodSync(join(parent, path), 0o755)
  rmSync(parent, { recursive: true })
})

const identity = { uid: user, gid: user }

/** Only root can change the user, and only if other users can execute Node. */
const canSwitchUser: boolean = process.getuid?.() === 0 &&
  spawnSync(process.execPath, ["-e", ""], { ...identity, env: {} }).status === 0

/** Starts the program of the folder. */
const startImage = (folder: string, args: ReadonlyArray<string>) =>
  ProxyProcess.start(
    args,
    { HOME: "/nonexistent", TMPDIR: "/nonexistent", NODE_ENV: "production" },
    join(folder, "dist/quarry-proxy.js"),
    canSwitchUser ? identity : {}
  )

const manifest = (file: string) => Object(JSON.parse(readFileSync(file, "utf8")))

const dockerfile = Files.text("Dockerfile")

/** The command of the container's health check. */
const healthcheck: unknown = JSON.parse(
  /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(dockerfile.replaceAll("\\\n", " "))?.[1] ?? ""
)

describe("the content", () => {
  it("contains the program, its licenses and its version", () => {
    const files = entriesOf(folder).filter(({ isFile }) => isFile).map(({ path }) => path)
    const others = files.filter((file) => !/^dist\/(?:quarry-proxy-chunks\/)?[\w.-]+\.js$/.test(file))
    expect(others).toEqual(["LICENSE", "THIRD-PARTY-LICENSES", "package.json"])
    expect(files).toContain("dist/quarry-proxy.js")
    const { license, name, type, version } = manifest(join(Files.root, "apps/proxy/package.json"))
    expect(manifest(join(folder, "package.json"))).toEqual({ license, name, type, version })
    expect(output).toContain(`${files.length} files`)
    expect(readFileSync(join(folder, "LICENSE"), "utf8")).toBe(
      readFileSync(join(Files.root, "LICENSE"), "utf8")
    )
  })

  it("lists the license of every bundled package", () => {
    const text = readFileSync(join(folder, "THIRD-PARTY-LICENSES"), "utf8")
    for (const name of ["effect", "undici", "ioredis", "@noble/hashes"]) {
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\([\\w.-]+\\)$`, "m"))
    }
    expect(text).not.toMatch(/^(?:vitest|rolldown|playwright-core) /m)
    for (const part of text.split(/^-{80}\n.+\n-{80}\n/m).slice(1)) {
      expect(part).toMatch(/licen[cs]e|permission/i)
    }
  })

  it("contains no data of the build machine, no tests and no secrets", () => {
    const secrets = Object.entries(process.env).flatMap(([name, value = ""]) =>
      /key|token|secret|password/i.test(name) && value.length > 8 ? [value] : []
    )
    const places = [Files.root.replace(/\/$/, ""), homedir(), parent].filter((place) => place.length > 1)
    for (const { isFile, path } of entriesOf(folder)) {
      if (!isFile) continue
      const text = readFileSync(join(folder, path), "utf8")
      const found = [
        ...places.filter((place) => text.includes(`${place}/`)),
        ...(secrets.some((secret) => text.includes(secret)) ? ["a secret of the environment"] : []),
        ...(text.match(
          /sourceMappingURL=.{0,40}|BEGIN [A-Z ]*PRIVATE KEY|\bqp_[\w-]{20,}|from ?["']vitest/g
        ) ?? [])
      ]
      expect([path, found]).toEqual([path, []])
    }
  })

  it("is reproducible, including file times and modes", () => {
    const again = join(parent, "again")
    assemble(again)
    expect(entriesOf(again)).toEqual(entriesOf(folder))
    for (const { isFile, mode, time } of entriesOf(folder)) {
      expect([mode, time]).toEqual([isFile ? 0o644 : 0o755, 1_700_000_000_000])
    }
  })

  it.scoped(
    canSwitchUser
      ? `runs as user ${user} from a folder that is read-only`
      : "runs from a folder that is read-only (as the user of the tests: only root becomes another one)",
    () =>
      Effect.gen(function*() {
        const app = join(parent, "app")
        cpSync(folder, app, { recursive: true })
        makeReadOnly(app)
        const before = entriesOf(app)
        const config = join(parent, "quarry-proxy.yaml")
        writeFileSync(
          config,
          [
            "listen: { port: 0 }",
            "admin: { port: 0, open: metrics }",
            "upstream: { sandbox: true }",
            "shutdown: { delay: 0s, timeout: 5s }",
            ""
          ].join("\n"),
          { mode: 0o644 }
        )
        const { adminOrigin, exit, log, port, signal } = yield* startImage(app, ["--config", config])
        const price = yield* sendRequest(port, `/api/v2.2/erc20/${examples.token}/price?chain=eth`)
        expect(JSON.parse(price.text)).toHaveProperty("usdPrice")
        const [node, , script] = Object(healthcheck)
        expect(node).toBe("/nodejs/bin/node")
        const checkHealth = (port: number) =>
          spawnSync(process.execPath, ["-e", script.replace(/:\d+\//, `:${port}/`)]).status
        expect(checkHealth(port)).toBe(0)
        const { version } = manifest(join(app, "package.json"))
        expect(yield* Effect.promise(() => fetch(`${adminOrigin}/metrics`).then((_) => _.text())))
          .toContain(`quarry_proxy_info{version="${String(version)}"} 1\n`)
        yield* signal("SIGTERM")
        expect(yield* exit).toEqual(ProxyProcess.stopped)
        expect(checkHealth(port)).toBe(1)
        expect(log().join("\n")).not.toMatch(/EROFS|EACCES|cannot|failed/)
        expect(entriesOf(app)).toEqual(before)
      })
  )
})

describe("the Dockerfile", () => {
  it("copies every workspace package of the proxy, and no secrets", () => {
    const folders = new Set<string>()
    const addDependencies = (folder: string): void => {
      if (folders.has(folder)) return
      folders.add(folder)
      const { dependencies, devDependencies } = manifest(join(Files.root, folder, "package.json"))
      for (const [name, version] of Object.entries({ ...Object(dependencies), ...Object(devDependencies) })) {
        if (String(version).startsWith("workspace:")) {
          addDependencies(name.replace("@blockquarry/", "packages/"))
        }
      }
    }
    addDependencies("apps/proxy")
    for (const folder of folders) {
      expect(dockerfile).toContain(`\nCOPY ${folder}/package.json ${folder}/\n`)
      expect(dockerfile).toContain(`\nCOPY ${folder} ${folder}\n`)
    }
    // Neither secrets nor build output
    const ignored = Files.text("Dockerfile.dockerignore").split("\n").filter((line) => /^[^#]/.test(line))
    expect(ignored[0]).toBe("*")
    expect(ignored).toEqual(
      expect.arrayContaining(["!.pnpmfile.cjs", "**/node_modules", "**/.env", "**/.env.*"])
    )
  })
})
