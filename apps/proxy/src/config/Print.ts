/** Prints the effective configuration with the source of each value. Of secrets it prints where they are read from. */
import * as Schema from "effect/Schema"
import { ConfigDocument, keys } from "./Config.ts"
import type { ConfigKey } from "./ConfigKey.ts"
import * as ConfigPath from "./ConfigPath.ts"
import type { SettingSource } from "./Diagnostic.ts"
import type { LoadedConfig } from "./Load.ts"
import { toInlineYaml } from "./YamlReader.ts"

export const printConfig = ({ config, sourceOf }: LoadedConfig): string => {
  const lines = (
    { keys, kind, name }: ConfigKey,
    section: unknown,
    above: ConfigPath.ConfigPath
  ): ReadonlyArray<string> => {
    const path = [...above, name]
    const value = ConfigPath.get(section, [name])
    const inner = (value: unknown, path: ConfigPath.ConfigPath) =>
      keys.flatMap((key) => lines(key, value, path))
    if (value === undefined) return [`# ${name}: not set`]
    if (kind === "section" && ConfigPath.isMapping(value)) {
      return [`${name}:`, ...inner(value, path).map((line) => `  ${line}`)]
    }
    if (kind === "list" && Array.isArray(value) && value.length > 0) {
      const element = (element: unknown, index: number) =>
        inner(element, [...path, index]).map((line, at) => `${at === 0 ? "  - " : "    "}${line}`)
      return [`${name}:`, ...value.flatMap(element)]
    }
    return [`${name}: ${toInlineYaml(value)}  # ${sourceName(sourceOf(path))}`]
  }
  const written = Schema.encodeSync(ConfigDocument)(config)
  return [
    "# The effective configuration of quarry-proxy: each value, and where it was set.",
    ...keys.flatMap((key) => lines(key, written, [])),
    ""
  ].join("\n")
}

const sourceName = (source: SettingSource): string =>
  source._tag === "Variable" ? source.option ?? source.name : source._tag.toLowerCase()
