/** CPU profiles of a call of the library, and of a cache miss and a hit of the proxy: self time of the main thread by group. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { SourceMap } from "node:module"
import { fileURLToPath } from "node:url"
import { smallDocument } from "./Documents.ts"
import { benchPath, forkProcess, makeTemporaryDirectory } from "./Processes.ts"
import * as QuarryProxy from "./QuarryProxy.ts"
import * as Servers from "./Servers.ts"

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

/** Runs a process, which must end when the scope of `use` closes, and returns the shares in its profile. */
const profile = <E>(
  title: string,
  use: (nodeOptions: ReadonlyArray<string>) => Effect.Effect<unknown, E>
): Effect.Effect<string, E> =>
  Effect.scoped(Effect.gen(function*() {
    const directory = yield* makeTemporaryDirectory
    yield* use(["--cpu-prof", `--cpu-prof-dir=${directory}`])
    const readProfile = Effect.try((): CpuProfile => {
      const [file = ""] = readdirSync(directory)
      return JSON.parse(readFileSync(`${directory}/${file}`, "utf8"))
    })
    const written = Effect.retry(readProfile, Schedule.spaced("50 millis").pipe(Schedule.upTo("30 seconds")))
    return formatShares(title, sharesOf(yield* Effect.orDie(written)))
  }))

const callPath = profile("typed page call, 91 KB", (nodeOptions) =>
  Effect.scoped(Effect.flatMap(
    forkProcess(benchPath, ["worker", "call"], nodeOptions),
    ({ sendMessage }) =>
      sendMessage({
        comparison: "typed page call, 91 KB",
        subject: "DataApi.walletTransfers",
        iterations: 30_000
      })
  )))

const proxyPath = (title: string, pattern: Servers.LoadPattern, requests: number) =>
  profile(title, (nodeOptions) =>
    Effect.scoped(Effect.gen(function*() {
      const upstream = yield* Servers.startUpstream({ bodies: { [smallDocument.path]: smallDocument.body } })
      const server = yield* QuarryProxy.startServer("quarry-proxy", upstream.baseUrl, {}, nodeOptions)
      yield* Servers.subjectsWith(smallDocument, pattern, upstream)(server).run(requests)
      // Writes the profile when it has ended
      yield* Effect.sync(() => process.kill(server.pid, "SIGINT"))
      yield* Effect.sleep("3 seconds")
    })))

/** The three hot paths: work for some seconds, so that the start of the process hardly counts. */
export const hotPaths: ReadonlyArray<Effect.Effect<string>> = [
  callPath,
  proxyPath("proxy, cache miss, 1.9 KB", Servers.cacheMisses(), 15_000),
  proxyPath("proxy, cache hit, 1.9 KB", Servers.cacheHits, 100_000)
]
