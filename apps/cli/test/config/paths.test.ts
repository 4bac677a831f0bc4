/** Locations of the files of a user on every platform. */
import { expect, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { userFile } from "../../src/config/ConfigPaths.ts"

it.effect.each<readonly [NodeJS.Platform, Readonly<Record<string, string>>, string | null]>([
  ["linux", { HOME: "/home/ana" }, "/home/ana/.config/quarry/a/b"],
  ["darwin", { HOME: "/Users/ana" }, "/Users/ana/.config/quarry/a/b"],
  ["linux", { HOME: "/home/ana", XDG_CONFIG_HOME: "/data/config" }, "/data/config/quarry/a/b"],
  ["linux", { HOME: "/home/ana", XDG_CONFIG_HOME: "config" }, "/home/ana/.config/quarry/a/b"],
  ["win32", { APPDATA: "C:\\ana\\Roaming", HOME: "/home/ana" }, "C:\\ana\\Roaming\\quarry\\a\\b"],
  ["win32", { USERPROFILE: "D:\\ana" }, "D:\\ana\\AppData\\Roaming\\quarry\\a\\b"],
  ["linux", {}, null],
  ["linux", { HOME: "ana" }, null]
])(
  "on %s with %j, a file of the user is %s",
  ([platform, variables, expected]) =>
    Effect.map(userFile(platform, "a", "b"), (file) => expect(file).toBe(expected)).pipe(
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables))))
    )
)
