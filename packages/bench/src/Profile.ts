/** CPU profiles of the hot paths: the self time of the main thread by group of source files. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { SourceMap } from "node:module"
import { fileURLToPath } from "node:url"

interface CallFrame {
  readonly functionName: string
  readonly url: string
  /** From 0. */
  readonly lineNumber: number
  readonly columnNumber: number
}

/** What `node --cpu-prof` writes. */
export interface CpuProfile {
  readonly nodes: ReadonlyArray<{ readonly id: number; readonly callFrame: CallFrame }>
  /** The node of each sample, and the microseconds since the sample before. */
  readonly samples: ReadonlyArray<number>
  readonly timeDeltas: ReadonlyArray<number>
}

/** Groups by source file and function name; the first that matches counts. Idle time does not count. */
const groups: ReadonlyArray<readonly [group: string, pattern: RegExp]> = [
  ["idle", /^ \(idle\)$/],
  ["garbage collection", /^ \(garbage collector\)$/],
  ["socket writes", /^ (writev|write\w+String|writeBuffer)$/],
  ["text from bytes", /^ (\w*[sS]lice|decode\w*)$|^node:internal\/encoding /],
  ["JSON.parse and exact integers", /packages\/core\/src\/(LosslessJson|internal\/jsonTokens)/],
  ["encoding of requests", /packages\/core\/src\/(RequestEncoding|InputSchema|operations)/],
  ["decoding to the model", /packages\/core\/src\//],
  ["HTTP transport", /packages\/http\/src\/internal\/transport\//],
  ["engine", /packages\/http\/src\//],
  ["proxy", /apps\/proxy\/src\//],
  ["Undici", /\/undici\//],
  ["Effect", /\/(@effect|effect)\//],
  ["Node.js", /^node:/]
]

const groupOf = (name: string): string => groups.find(([, pattern]) => pattern.test(name))?.[0] ?? "other"

/** Returns a function that finds the source file of a call frame of a bundle. */
const makeSourceLookup = () => {
  const maps = new Map<string, SourceMap | null>()
  return ({ columnNumber, lineNumber, url }: CallFrame): string => {
    if (!url.startsWith("file:")) return url
    const map = maps.get(url) ?? readSourceMap(`${fileURLToPath(url)}.map`)
    maps.set(url, map)
    const entry = map?.findEntry(lineNumber, columnNumber)
    return entry !== undefined && "originalSource" in entry
      ? new URL(entry.originalSource, url).pathname
      : url
  }
}

/** Not every chunk has one. */
const readSourceMap = (file: string): SourceMap | null =>
  existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, "utf8"))) : null

/** Returns the share of each group in the time that is not idle, largest first. */
export const sharesOf = (
  { nodes, samples, timeDeltas }: CpuProfile,
  sourceOf: (frame: CallFrame) => string = makeSourceLookup()
): ReadonlyArray<readonly [group: string, share: number]> => {
  const groupById = new Map(
    nodes.map(({ callFrame, id }) => [id, groupOf(`${sourceOf(callFrame)} ${callFrame.functionName}`)])
  )
  const times = new Map<string, number>()
  samples.forEach((id, index) => {
    const group = groupById.get(id) ?? "other"
    times.set(group, (times.get(group) ?? 0) + (timeDeltas[index] ?? 0))
  })
  times.delete("idle")
  const total = [...times.values()].reduce((sum, time) => sum + time, 0)
  return [...times].map(([group, time]) => [group, time / total] as const).sort(([, a], [, b]) => b - a)
}

export const formatShares = (title: string, shares: ReadonlyArray<readonly [string, number]>): string =>
  [title, ...shares.map(([group, share]) => `${(share * 100).toFixed(1).padStart(6)} %  ${group}`)].join("\n")

/** Reads the only profile in a directory. Undefined if it is not completely written. */
export const readProfile = (directory: string): CpuProfile | undefined => {
  try {
    const [file = ""] = readdirSync(directory)
    const profile: CpuProfile = JSON.parse(readFileSync(`${directory}/${file}`, "utf8"))
    return profile
  } catch {
    return undefined
  }
}
