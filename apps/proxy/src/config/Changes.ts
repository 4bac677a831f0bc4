/** Compares two configurations: what changed, and whether that requires a restart. */
import * as Redacted from "effect/Redacted"
import { type Config, keys } from "./Config.ts"
import { type ConfigKey, encode } from "./ConfigKey.ts"
import * as ConfigPath from "./ConfigPath.ts"
import { toInlineYaml } from "./YamlReader.ts"

export interface Change {
  /** As in `clients.shop.rateLimit 50/s → 80/s`. Sensitive values are not shown. */
  readonly text: string
  readonly requiresRestart: boolean
}

export const between = (before: Config, after: Config): ReadonlyArray<Change> => {
  const compareAll = (keys: ReadonlyArray<ConfigKey>, path: string, old: unknown, current: unknown) =>
    keys.flatMap((key) =>
      compare(key, `${path}${key.name}`, ConfigPath.get(old, [key.name]), ConfigPath.get(current, [key.name]))
    )

  const compare = (key: ConfigKey, path: string, old: unknown, current: unknown): ReadonlyArray<Change> => {
    if (key.kind === "value") {
      const [from, to] = [written(key, old), written(key, current)]
      const isHidden = key.sensitive === true || [old, current].some(Redacted.isRedacted)
      const text = `${path} ${isHidden ? "changed" : `${from} → ${to}`}`
      return from === to ? [] : [{ text, requiresRestart: key.restart }]
    }
    if (key.kind === "list") {
      const [olds, currents] = [byName(old), byName(current)]
      return [...new Set([...olds.keys(), ...currents.keys()])].flatMap((name) =>
        compare({ ...key, kind: "section" }, `${path}.${name}`, olds.get(name), currents.get(name))
      )
    }
    const [had, has] = [ConfigPath.isMapping(old), ConfigPath.isMapping(current)]
    if (had && has) return compareAll(key.keys, `${path}.`, old, current)
    const text = `${path} ${has ? "added" : "removed"}`
    return had === has ? [] : [{ text, requiresRestart: key.keys.some(({ restart }) => restart) }]
  }
  return compareAll(keys, "", before, after)
}

const byName = (list: unknown): ReadonlyMap<unknown, unknown> =>
  new Map(
    Array.isArray(list) ? list.map((element: unknown) => [ConfigPath.get(element, ["name"]), element]) : []
  )

const written = (key: ConfigKey, value: unknown): string =>
  Redacted.isRedacted(value)
    ? String(Redacted.value(value))
    : value === undefined
    ? "not set"
    : toInlineYaml(encode(key, value))
