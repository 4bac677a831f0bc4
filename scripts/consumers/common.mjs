// What the checks of packages in empty projects share.
import { execFile } from "node:child_process"
import { promisify } from "node:util"

/**
 * @param {boolean} condition
 * @param {string} message
 */
export const assert = (condition, message) => {
  if (!condition) throw new Error(message)
}

/**
 * Runs a program to its end, and returns what it prints.
 *
 * @param {string} cwd
 * @param {string} program
 * @param {ReadonlyArray<string>} args
 * @param {Readonly<Record<string, string>>} env
 */
export const run = async (cwd, program, args, env = {}) => {
  const options = { cwd, env: { ...process.env, ...env }, timeout: 120_000, maxBuffer: 1 << 26 }
  const { stdout } = await promisify(execFile)(program, args, options)
  return stdout.trim()
}
