/** Commands that call no operation. */
import type { CommandSpec } from "../invocation/CommandSpec.ts"

/** Makes a command. Default: no arguments, options, examples and API. */
export const localCommand = (
  spec: Pick<CommandSpec, "path" | "summary" | "run"> & Partial<CommandSpec>
): CommandSpec => ({
  operation: null,
  isUpdate: false,
  api: null,
  arguments: [],
  options: [],
  examples: [],
  ...spec
})
