/** Locations of configuration files on every platform. */
import { expect, it } from "vitest"
import { type PathEnvironment, projectDirectories, userDirectory } from "../../src/config/ConfigPaths.ts"

const environment = (
  platform: NodeJS.Platform,
  variables: Readonly<Record<string, string>>
): PathEnvironment => ({ platform, variable: (name) => variables[name] ?? "" })

const linux = environment("linux", { HOME: "/home/ana" })

it.each<readonly [NodeJS.Platform, Readonly<Record<string, string>>, string | null]>([
  ["linux", { HOME: "/home/ana" }, "/home/ana/.config/quarry"],
  ["darwin", { HOME: "/Users/ana" }, "/Users/ana/.config/quarry"],
  ["linux", { HOME: "/home/ana", XDG_CONFIG_HOME: "/data/config" }, "/data/config/quarry"],
  ["linux", { HOME: "/home/ana", XDG_CONFIG_HOME: "config" }, "/home/ana/.config/quarry"],
  ["win32", { APPDATA: "C:\\ana\\Roaming", HOME: "/home/ana" }, "C:\\ana\\Roaming\\quarry"],
  ["win32", { USERPROFILE: "D:\\ana" }, "D:\\ana\\AppData\\Roaming\\quarry"],
  ["linux", {}, null],
  ["linux", { HOME: "ana" }, null]
])("on %s with %j, the directory of the user is %s", (platform, variables, expected) => {
  expect(userDirectory(environment(platform, variables))).toBe(expected)
})

it.each<readonly [from: string, expected: ReadonlyArray<string>]>([
  ["/home/ana/work/repo/src/deep", [
    "/home/ana/work/repo/src/deep",
    "/home/ana/work/repo/src",
    "/home/ana/work/repo"
  ]],
  ["/home/ana/work", ["/home/ana/work"]],
  ["/home/ana", []],
  ["/srv/data", ["/srv/data", "/srv", "/"]]
])("searches a project file from %s up to a repository, the home directory or the root", (from, expected) => {
  expect(projectDirectories(linux, from, (path) => path.endsWith("repo"))).toEqual(expected)
})

it("knows the separators of Windows", () => {
  const windows = environment("win32", { USERPROFILE: "C:\\Users\\ana" })
  expect(projectDirectories(windows, "C:\\Users\\ana\\repo\\src", (path) => path.endsWith("\\repo")))
    .toEqual(["C:\\Users\\ana\\repo\\src", "C:\\Users\\ana\\repo"])
})
