/** Locations of configuration files on every platform. */
import { expect, it } from "vitest"
import { type PathEnvironment, userDirectory } from "../../src/config/ConfigPaths.ts"

const environment = (
  platform: NodeJS.Platform,
  variables: Readonly<Record<string, string>>
): PathEnvironment => ({ platform, variable: (name) => variables[name] ?? "" })

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
