/** The path of a configuration key: names of sections and indices of lists. */
import * as Predicate from "effect/Predicate"

export type ConfigPath = ReadonlyArray<string | number>

/** Formats a path as in `clients[0].scopes`. */
export const format = (path: ConfigPath): string =>
  path.map((step) => typeof step === "number" ? `[${step}]` : `.${step}`).join("").replace(/^\./, "")

export const isMapping = Predicate.isReadonlyRecord

export const get = (value: unknown, path: ConfigPath): unknown =>
  path.reduce<unknown>((at, step) => {
    if (typeof step === "number") return Array.isArray(at) ? at[step] : undefined
    return isMapping(at) && Object.hasOwn(at, step) ? at[step] : undefined
  }, value)
