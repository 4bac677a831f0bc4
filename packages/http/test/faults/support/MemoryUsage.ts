/** Measures the heap after a garbage collection. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

// `gc` is available in contexts that are created after the flag is set, even if the process started without it.
setFlagsFromString("--expose-gc")
const collect: unknown = runInNewContext("gc")

/** Returns the size of the heap in bytes. */
export const heapUsed = (): number => {
  if (typeof collect !== "function") throw new Error("the garbage collector is not available")
  collect()
  return process.memoryUsage().heapUsed
}
