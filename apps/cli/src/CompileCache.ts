/** Keeps compiled code between runs, in a directory of the user, because Node.js executes what it contains. */
import { existsSync, mkdirSync } from "node:fs"
import * as NodeModule from "node:module"
import * as NodePath from "node:path"

/** Creates a directory in one that exists, and returns its path; null if it cannot be created. */
const ensureDirectory = (parent: string | null, name: string): string | null => {
  if (parent === null) return null
  const path = NodePath.join(parent, name)
  try {
    if (!existsSync(path)) mkdirSync(path, { mode: 0o700 })
    return path
  } catch {
    return null
  }
}

const cacheDirectory = (): string | null => {
  const { HOME = "", LOCALAPPDATA = "", XDG_CACHE_HOME = "" } = process.env
  const absolute = (path: string) => NodePath.isAbsolute(path) ? path : null
  const configured = absolute(process.platform === "win32" ? LOCALAPPDATA : XDG_CACHE_HOME)
  // Versions of Node.js that are too old must be able to parse it, so that it has no `??`
  const shared = configured === null && process.platform !== "win32"
    ? ensureDirectory(absolute(HOME), ".cache")
    : configured
  // Node.js would wait forever where a directory cannot be created, as in /proc
  return ensureDirectory(shared, "quarry")
}

/** Has no effect before Node.js 22.8, and where the directory cannot be written. */
export const enableCompileCache = (): void => {
  if (!("enableCompileCache" in NodeModule) || typeof NodeModule.enableCompileCache !== "function") return
  const directory = cacheDirectory()
  if (directory !== null) NodeModule.enableCompileCache(directory)
}
