/** Measures memory after a garbage collection. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

// `gc` is available in contexts that are created after the flag is set, even if the process started without it.
setFlagsFromString("--expose-gc")
const gc: unknown = runInNewContext("gc")

/** Collects the whole heap, and returns its size in bytes. */
export const heapUsed = (): number => {
  if (typeof gc !== "function") throw new Error("the garbage collector is not available")
  // Without options, because `{ type: "major" }` does not free all buffers.
  gc()
  return process.memoryUsage().heapUsed
}
