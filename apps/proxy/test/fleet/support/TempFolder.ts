/** A temporary directory for each test, and two ways to change its files. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface TempFolder {
  readonly path: (name: string) => string
  /** Overwrites the file in place. */
  readonly write: (name: string, text: string) => Effect.Effect<string>
  /** Writes a temporary file, and renames it over the file. */
  readonly replace: (name: string, text: string) => Effect.Effect<string>
}

export const make: Effect.Effect<TempFolder, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "quarry-proxies-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ),
  (folder) => {
    const path = (name: string) => join(folder, name)
    return {
      path,
      write: (name, text) =>
        Effect.sync(() => {
          writeFileSync(path(name), text, { mode: 0o600 })
          return path(name)
        }),
      replace: (name, text) =>
        Effect.sync(() => {
          writeFileSync(path(`${name}.new`), text, { mode: 0o600 })
          renameSync(path(`${name}.new`), path(name))
          return path(name)
        })
    }
  }
)
