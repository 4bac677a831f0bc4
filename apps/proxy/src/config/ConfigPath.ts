/** Where a setting stands in the document: names of sections and places in lists. */

export type ConfigPath = ReadonlyArray<string | number>

/** As people write it: `clients[0].scopes`. */
export const formatPath = (path: ConfigPath): string =>
  path.reduce<string>(
    (before, step) =>
      typeof step === "number" ? `${before}[${step}]` : before === "" ? step : `${before}.${step}`,
    ""
  )

/** Whether one of both is the other, or lies within it. */
export const overlaps = (a: ConfigPath, b: ConfigPath): boolean =>
  a.every((step, index) => index >= b.length || step === b[index])

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What stands at a path. */
export const getAt = (value: unknown, path: ConfigPath): unknown =>
  path.reduce<unknown>(
    (at, step) =>
      typeof step === "number"
        ? Array.isArray(at) ? at[step] : undefined
        : isRecord(at) && Object.hasOwn(at, step)
        ? at[step]
        : undefined,
    value
  )

/** The same with something else at a path of names. What stands in the way gives way. */
export const setAt = (value: unknown, [step, ...rest]: ConfigPath, to: unknown): unknown =>
  step === undefined
    ? to
    : { ...(isRecord(value) ? value : {}), [step]: setAt(getAt(value, [step]), rest, to) }

/** The same without the setting at a path. */
export const removeAt = (value: unknown, [step, ...rest]: ConfigPath): unknown => {
  if (Array.isArray(value)) {
    return value.map((inner: unknown, index) => index === step ? removeAt(inner, rest) : inner)
  }
  if (step === undefined || !isRecord(value) || !Object.hasOwn(value, step)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      name !== step ? [[name, inner]] : rest.length === 0 ? [] : [[name, removeAt(inner, rest)]]
    )
  )
}
