/** The content of the image, assembled by the script of the Dockerfile, and the proxy that runs from it. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Files from "./files.ts"

/** The user ID of the program in the image. */
export const user = 65532

/** The bundle of the current sources, with source maps. */
export const bundle = (output: string): void => {
  execFileSync(
    process.execPath,
    [join(Files.root, "scripts/bundle.mjs"), "src/main.ts", join(output, "quarry-proxy.js")],
    { cwd: join(Files.root, "apps/proxy") }
  )
}

/** The output of the script. */
export const assemble = (folder: string, bundle: string): string =>
  execFileSync(process.execPath, [join(Files.root, "scripts/image.mjs"), folder, bundle], {
    encoding: "utf8",
    stdio: "pipe",
    env: { ...process.env, SOURCE_DATE_EPOCH: "1700000000" }
  })

export interface Entry {
  readonly path: string
  readonly isFile: boolean
  readonly mode: number
  readonly time: number
  readonly digest: string
}

/** Returns a directory and everything below it. */
export const entriesOf = (folder: string): ReadonlyArray<Entry> =>
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
export const makeReadOnly = (folder: string): void => {
  for (const { isFile, path } of entriesOf(folder).toReversed()) {
    chmodSync(join(folder, path), isFile ? 0o444 : 0o555)
  }
}

/** Creates a directory that other users may read, and removes it after the tests. */
export const temporary: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "quarry-image-"))
    chmodSync(folder, 0o755)
    return folder
  }),
  (folder) =>
    Effect.sync(() => {
      // Only root can remove the content of a read-only directory
      for (const { isFile, path } of entriesOf(folder)) if (!isFile) chmodSync(join(folder, path), 0o755)
      rmSync(folder, { recursive: true })
    })
)

export const folderIn = (parent: string, name: string): string => {
  const folder = join(parent, name)
  mkdirSync(folder, { mode: 0o755 })
  return folder
}

const identity = { uid: user, gid: user }

/** Only root can change the user, and only if other users can execute Node. */
export const canSwitchUser: boolean = process.getuid?.() === 0 &&
  spawnSync(process.execPath, ["-e", ""], { ...identity, env: {} }).status === 0

interface ExitResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningImage {
  readonly port: number
  readonly adminPort: number
  readonly stdout: string
  readonly stop: Effect.Effect<ExitResult>
}

/** Starts the program of a directory with Node and an empty environment, and waits until it is ready. */
export const start = (
  folder: string,
  args: ReadonlyArray<string>
): Effect.Effect<RunningImage, string, Scope.Scope> =>
  Effect.gen(function*() {
    const output = { stdout: "", stderr: "" }
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, ["dist/quarry-proxy.js", ...args], {
          cwd: folder,
          env: { HOME: "/nonexistent", TMPDIR: "/nonexistent", NODE_ENV: "production" },
          ...(canSwitchUser ? identity : {})
        })
      ),
      (child) => Effect.sync(() => void child.kill("SIGKILL"))
    )
    child.stderr.on("data", (piece) => {
      output.stderr += String(piece)
    })
    const ended = closed(child, output)
    yield* Effect.async<void, string>((resume) => {
      child.stdout.on("data", (piece) => {
        output.stdout += String(piece)
        if (output.stdout.includes("Press Ctrl-C to stop")) resume(Effect.void)
      })
      child.once("close", () => resume(Effect.fail(`it ended: ${output.stdout}${output.stderr}`)))
    })
    const portAfter = (words: string) =>
      Number(new RegExp(`${words} +http://127\\.0\\.0\\.1:(\\d+)`).exec(output.stdout)?.[1])
    return {
      port: portAfter("is listening at"),
      adminPort: portAfter("status page:"),
      stdout: output.stdout,
      stop: Effect.zipRight(Effect.sync(() => child.kill("SIGTERM")), Effect.promise(() => ended))
    }
  })

const closed = (
  child: ChildProcess,
  output: { readonly stdout: string; readonly stderr: string }
): Promise<ExitResult> =>
  new Promise((resolve) => child.once("close", (code) => resolve({ code, ...output })))
