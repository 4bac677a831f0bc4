/** Writes to a standard output that is a file. Loads nothing, because help needs it at once. */
import * as fs from "node:fs"

/** Returns whether a standard stream is a file or a device. Others are pipes, sockets and terminals. */
export const isOutputFile = (
  { fd, isTTY }: Pick<NodeJS.WriteStream, "isTTY"> & { readonly fd: number }
): boolean => {
  const status = fs.fstatSync(fd)
  return !isTTY && (status.isFile() || status.isCharacterDevice())
}

const sizeOf = (fd: number): number | null => {
  const status = fs.fstatSync(fd)
  return status.isFile() ? status.size : null
}

/**
 * Writes bytes that consist of texts, which end at `ends`. A full disk takes a part of them, which the stream of Node.js does
 * not report. The text that is cut is removed, so that the file ends with a whole one, and the next command can append.
 * Returns the number of texts that were written as a whole.
 */
export const writeToFile = (fd: number, bytes: Uint8Array, ends: ReadonlyArray<number>) => {
  let written = 0
  const before = sizeOf(fd)
  try {
    while (written < bytes.length) written += fs.writeSync(fd, bytes, written)
    return { count: ends.length, error: null }
  } catch (error) {
    const whole = ends.filter((end) => end <= written)
    // Only what was appended. Another process may have written to the file meanwhile
    if (before !== null && sizeOf(fd) === before + written) fs.ftruncateSync(fd, before + (whole.at(-1) ?? 0))
    return { count: whole.length, error }
  }
}
