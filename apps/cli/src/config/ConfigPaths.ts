/** Locations of the configuration file and of API keys. Pure functions, so that the rules of every platform can be tested on any. */
import * as NodePath from "node:path"

/** The platform and the environment variables that determine the locations. */
export interface PathEnvironment {
  readonly platform: NodeJS.Platform
  readonly variable: (name: string) => string
}

const pathOf = ({ platform }: PathEnvironment): NodePath.PlatformPath =>
  platform === "win32" ? NodePath.win32 : NodePath.posix

const homeDirectory = (environment: PathEnvironment): string | null => {
  const home = environment.variable(environment.platform === "win32" ? "USERPROFILE" : "HOME")
  return pathOf(environment).isAbsolute(home) ? home : null
}

/**
 * Returns the directory of the user's files; null without a home directory. `%APPDATA%` on Windows, and
 * `$XDG_CONFIG_HOME` elsewhere, which must be absolute by its specification.
 */
export const userDirectory = (environment: PathEnvironment): string | null => {
  const path = pathOf(environment)
  const isWindows = environment.platform === "win32"
  const configured = environment.variable(isWindows ? "APPDATA" : "XDG_CONFIG_HOME")
  if (path.isAbsolute(configured)) return path.join(configured, "quarry")
  const home = homeDirectory(environment)
  if (home === null) return null
  return path.join(home, ...isWindows ? ["AppData", "Roaming"] : [".config"], "quarry")
}

export const userFile = (environment: PathEnvironment): string | null => {
  const directory = userDirectory(environment)
  return directory === null ? null : pathOf(environment).join(directory, "config.yaml")
}

export const apiKeyFile = (environment: PathEnvironment, profile: string): string | null => {
  const directory = userDirectory(environment)
  return directory === null ? null : pathOf(environment).join(directory, "keys", `${profile}.key`)
}
