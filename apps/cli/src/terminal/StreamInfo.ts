/** Properties of the standard streams, and styles of text. Loads nothing, because help needs it at once. */

export interface StreamInfo {
  /** Of stderr: whether a user watches it, and a line can be replaced. */
  readonly isTerminal: boolean
  readonly hasColors: boolean
  /** Width of the terminal; null if lines have no limit. */
  readonly columns: number | null
}

export const colorModes = ["auto", "always", "never"] as const

interface EnvironmentVariables {
  readonly [name: string]: string | undefined
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ""

/** Variables of all programs that take precedence over the color mode of a configuration file. */
export const colorVariables = ["NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"] as const

/**
 * Decides about colors. The option or QUARRY_COLOR takes precedence over NO_COLOR, which takes precedence over FORCE_COLOR and
 * CLICOLOR_FORCE; by default, terminals have colors. An empty variable counts as not set.
 */
const hasColors = (
  isTerminal: boolean,
  mode: string | undefined,
  environment: EnvironmentVariables
): boolean => {
  if (mode === "always" || mode === "never") return mode === "always"
  if (isSet(environment["NO_COLOR"])) return false
  const forced = environment["FORCE_COLOR"] || environment["CLICOLOR_FORCE"]
  if (isSet(forced)) return forced !== "0" && forced !== "false"
  return isTerminal && environment["CLICOLOR"] !== "0" && environment["TERM"] !== "dumb"
}

const defaultColumns = 80

/** Returns the width that COLUMNS states, or else the terminal. Serial lines and containers may report 0 columns. */
const widthOf = (reported: number, { COLUMNS = "" }: EnvironmentVariables): number =>
  /^[1-9]\d{0,4}$/.test(COLUMNS) ? Number(COLUMNS) : reported > 0 ? reported : defaultColumns

export const streamInfo = (
  stream: Pick<NodeJS.WriteStream, "columns" | "isTTY">,
  environment: EnvironmentVariables,
  colorMode?: string
): StreamInfo => {
  const isTerminal = stream.isTTY
  return {
    isTerminal,
    hasColors: hasColors(isTerminal, colorMode ?? environment["QUARRY_COLOR"], environment),
    columns: isTerminal ? widthOf(stream.columns, environment) : null
  }
}

/** Returns the properties of stderr. Terminals that are dumb or record a build get no progress line. */
export const messageStreamInfo = (
  stream: Parameters<typeof streamInfo>[0],
  environment: EnvironmentVariables
): StreamInfo => {
  const { CI, TERM } = environment
  const info = streamInfo(stream, environment)
  const isRecorded = isSet(CI) && CI !== "0" && CI !== "false"
  return { ...info, isTerminal: info.isTerminal && TERM !== "dumb" && !isRecorded }
}

/** Applies the color mode of the configuration, which is read after the streams. */
export const withColorMode = (stream: StreamInfo, mode: string | undefined): StreamInfo =>
  mode === "always" || mode === "never" ? { ...stream, hasColors: mode === "always" } : stream

export type TextStyle = "bold" | "dim" | "green" | "red" | "yellow"

const ansiCodes: { readonly [S in TextStyle]: readonly [on: number, off: number] } = {
  bold: [1, 22],
  dim: [2, 22],
  green: [32, 39],
  red: [31, 39],
  yellow: [33, 39]
}

export const styled = (stream: StreamInfo, style: TextStyle, text: string): string =>
  stream.hasColors ? `\u001b[${ansiCodes[style][0]}m${text}\u001b[${ansiCodes[style][1]}m` : text
