import { existsSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"

/** Creates a directory unless it exists. Node.js with `recursive` never returns in a file system such as `/proc`. */
export const makeDirectory = (directory: string, mode = 0o777): void => {
  if (existsSync(directory)) return
  makeDirectory(dirname(directory), mode)
  try {
    mkdirSync(directory, mode)
  } catch (error) {
    // Another process may have created it meanwhile
    if (!existsSync(directory)) throw error
  }
}
