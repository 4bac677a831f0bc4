import * as Effect from "effect/Effect"
import * as NodePath from "node:path"
import { environmentVariable } from "../terminal/EnvironmentVariable.ts"

/**
 * Returns the path of a file of the user; null without a home directory. It is in `%APPDATA%` on Windows, and in
 * `$XDG_CONFIG_HOME` elsewhere, which must be absolute by its specification.
 */
export const userFile = (
  platform: NodeJS.Platform,
  ...names: ReadonlyArray<string>
): Effect.Effect<string | null> =>
  Effect.gen(function*() {
    const isWindows = platform === "win32"
    const path = isWindows ? NodePath.win32 : NodePath.posix
    const configured = yield* environmentVariable(isWindows ? "APPDATA" : "XDG_CONFIG_HOME")
    if (path.isAbsolute(configured)) return path.join(configured, "quarry", ...names)
    const home = yield* environmentVariable(isWindows ? "USERPROFILE" : "HOME")
    const directory = path.join(home, isWindows ? "AppData/Roaming" : ".config", "quarry", ...names)
    return path.isAbsolute(home) ? directory : null
  })
