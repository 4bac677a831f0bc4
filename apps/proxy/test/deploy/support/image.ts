/** The content of the image, assembled by the script of the Dockerfile. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as ProxyProcess from "../../fleet/support/ProxyProcess.ts"
import { distribution } from "../../support/Process.ts"
import * as Files from "./files.ts"

/** The user ID of the program in the image. */
export const user = 65532

/** The output of the script. */
export const assemble = (folder: string): string =>
  execFileSync(process.execPath, [join(Files.root, "scripts/image.mjs"), folder, distribution], {
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

/** Starts the program of the folder. */
export const start = (folder: string, args: ReadonlyArray<string>) =>
  ProxyProcess.start(
    args,
    { HOME: "/nonexistent", TMPDIR: "/nonexistent", NODE_ENV: "production" },
    join(folder, "dist/quarry-proxy.js"),
    canSwitchUser ? identity : {}
  )
