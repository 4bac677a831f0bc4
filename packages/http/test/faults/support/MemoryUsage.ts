/** The memory that is in use once all garbage is gone. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

// The collector is not at hand unless the process was started for it, but any context made from now on has it.
setFlagsFromString("--expose-gc")
const collect: unknown = runInNewContext("gc")

/** Bytes. */
export const heapUsed = (): number => {
  if (typeof collect !== "function") throw new Error("there is no garbage collector to call")
  collect()
  return process.memoryUsage().heapUsed
}
