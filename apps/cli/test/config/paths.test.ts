/** Locations of configuration files on every platform. */
import { describe, expect, it } from "@effect/vitest"
import {
  apiKeyFile,
  type PathEnvironment,
  projectDirectories,
  userDirectory,
  userFile
} from "../../src/config/ConfigPaths.ts"

const environment = (
  platform: NodeJS.Platform,
  variables: Readonly<Record<string, string>>
): PathEnvironment => ({ platform, variable: (name) => variables[name] ?? "" })

describe("the directory of the user", () => {
  it.each<readonly [string, PathEnvironment, string | null]>([
    ["~/.config on Linux", environment("linux", { HOME: "/home/ana" }), "/home/ana/.config/quarry"],
    ["~/.config on macOS", environment("darwin", { HOME: "/Users/ana" }), "/Users/ana/.config/quarry"],
    [
      "$XDG_CONFIG_HOME",
      environment("linux", { HOME: "/home/ana", XDG_CONFIG_HOME: "/data/config" }),
      "/data/config/quarry"
    ],
    [
      "~/.config if $XDG_CONFIG_HOME is relative",
      environment("linux", { HOME: "/home/ana", XDG_CONFIG_HOME: "config" }),
      "/home/ana/.config/quarry"
    ],
    [
      "%APPDATA% on Windows",
      environment("win32", { APPDATA: "C:\\Users\\ana\\AppData\\Roaming", HOME: "/home/ana" }),
      "C:\\Users\\ana\\AppData\\Roaming\\quarry"
    ],
    [
      "below %USERPROFILE% without %APPDATA%",
      environment("win32", { USERPROFILE: "D:\\ana" }),
      "D:\\ana\\AppData\\Roaming\\quarry"
    ],
    ["unknown without a home directory", environment("linux", {}), null],
    ["unknown with a relative home directory", environment("linux", { HOME: "ana" }), null]
  ])("is %s", (_, given, expected) => {
    expect(userDirectory(given)).toBe(expected)
  })

  it("contains the configuration and one key file per profile", () => {
    const linux = environment("linux", { HOME: "/home/ana" })
    expect(userFile(linux)).toBe("/home/ana/.config/quarry/config.yaml")
    expect(apiKeyFile(linux, "work")).toBe("/home/ana/.config/quarry/keys/work.key")
    expect(userFile(environment("linux", {}))).toBeNull()
    expect(apiKeyFile(environment("linux", {}), "work")).toBeNull()
  })
})

describe("the search for a project file", () => {
  const linux = environment("linux", { HOME: "/home/ana" })

  it("goes up to the root of the repository", () => {
    expect(projectDirectories(linux, "/home/ana/work/repo/src/deep", (path) => path.endsWith("repo")))
      .toEqual([
        "/home/ana/work/repo/src/deep",
        "/home/ana/work/repo/src",
        "/home/ana/work/repo"
      ])
  })

  it("excludes the home directory and what is above it", () => {
    expect(projectDirectories(linux, "/home/ana/work", () => false)).toEqual(["/home/ana/work"])
    expect(projectDirectories(linux, "/home/ana", () => false)).toEqual([])
  })

  it("ends at the root of the file system", () => {
    expect(projectDirectories(linux, "/srv/data", () => false)).toEqual(["/srv/data", "/srv", "/"])
  })

  it("is bounded", () => {
    const deep = `/srv${"/d".repeat(500)}`
    expect(projectDirectories(linux, deep, () => false)).toHaveLength(64)
  })

  it("uses the separators of Windows", () => {
    const windows = environment("win32", { USERPROFILE: "C:\\Users\\ana" })
    expect(projectDirectories(windows, "C:\\Users\\ana\\repo\\src", (path) => path.endsWith("\\repo")))
      .toEqual([
        "C:\\Users\\ana\\repo\\src",
        "C:\\Users\\ana\\repo"
      ])
  })
})
