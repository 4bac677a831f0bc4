/**
 * Options of V8 for a process whose heap serves many short requests. V8 reads them at each garbage collection, so the proxy
 * sets them itself and needs none on its command line. docs/performance.md has what they gain.
 */
import { PerformanceObserver } from "node:perf_hooks"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"
// What a request creates does not outlive it, so no object skips the young generation of the heap. For a heap of this size,
// parallel threads mostly wait for each other. Benchmarks read the file too.
import options from "./v8Options.json" with { type: "json" }

/**
 * The young generation grows up to two semi-spaces of 16 MiB. Larger ones pause all requests longer, and buffers then wait so long
 * for a collection that their memory starts a full one.
 */
const maxSemiSpace = 16 * 1024 * 1024

/** The available part of the smallest semi-space, 1 MiB. V8 uses up to 2 % of it. */
const minSemiSpace = 1024 * 1024 * 0.98

/**
 * Sets the options that the options of Node.js do not set: the command line (`process.execArgv`) and `NODE_OPTIONS`, which may
 * contain the size of a semi-space.
 */
export const apply = (nodeOptions: ReadonlyArray<string>): void => {
  const names = new Set(nodeOptions.map(nameOf))
  for (const option of options) if (!names.has(nameOf(option))) setFlagsFromString(option)
  if (!names.has("max-semi-space-size")) limitYoungGeneration()
}

/**
 * Its maximum size can only be set at the start of Node.js, but the factor of its growth at any time. V8 shrinks it to 1 MiB while
 * little is allocated, and with each full collection that the memory of buffers starts. From there it grows in one step: in a
 * small young generation, bodies become old before they are garbage, and the next full collection comes sooner.
 */
const limitYoungGeneration = (): void => {
  let factor = 0
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")
    if (young === undefined) return
    // Not half of `space_size`: at times only one of the two semi-spaces has memory.
    const semiSpace = young.space_used_size + young.space_available_size
    const next = Math.floor(maxSemiSpace / Math.min(maxSemiSpace, Math.max(minSemiSpace, semiSpace)))
    if (next === factor) return
    factor = next
    setFlagsFromString(`--semi-space-growth-factor=${factor}`)
  })
  observer.observe({ entryTypes: ["gc"] })
}

/** `--no-parallel-scavenge` and `--parallel_scavenge` set the same option. */
const nameOf = (option: string): string =>
  option.replaceAll("_", "-").replace(/^--(no-?)?/, "").replace(/=.*/, "")
