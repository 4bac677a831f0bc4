/** The heap of an export: many objects that live for one page. */
import { setFlagsFromString } from "node:v8"

/**
 * Keeps the young generation of the heap at its size after the start, 16 MiB. Node.js 24 lets it grow to 128 MiB, which
 * makes an export no faster. The option for its maximum has no effect once Node.js runs.
 */
export const limitYoungGeneration = (): void => setFlagsFromString("--semi-space-growth-factor=1")
