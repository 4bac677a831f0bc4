/** Errors of the operating system in plain words, and what to do about them. */
import * as Predicate from "effect/Predicate"
import { getSystemErrorMap } from "node:util"

/** Returns the code of an error of the file system or the network, for example ENOENT. */
export const errorCode = (error: unknown): string =>
  Predicate.isRecord(error) && typeof error["code"] === "string" ? error["code"] : String(error)

/** The words for codes for which Node.js has none, or unclear ones. */
const words: Readonly<Record<string, string>> = {
  EDQUOT: "disk quota exceeded",
  EISDIR: "it is a directory",
  ENFILE: "too many open files in the system"
}

/** What to do about a file. */
const fixes: Readonly<Record<string, string>> = {
  EACCES: "check the permissions of the file and its directory, or choose another one",
  EBUSY: "close the program that uses it",
  EDQUOT: "free disk space, or choose another disk",
  EEXIST: "remove it, or choose another name",
  EFBIG: "the disk or ulimit -f allows no larger files: choose another disk, or raise the limit",
  EISDIR: "choose the name of a file",
  ELOOP: "correct the symbolic links in its path",
  EMFILE: "raise the limit of open files with ulimit -n",
  ENAMETOOLONG: "choose a shorter name",
  ENFILE: "close other programs",
  ENOENT: "check the path, and create its directory if it does not exist",
  ENOSPC: "free disk space, or choose another disk",
  ENOTDIR: "a part of its path is a file: choose another path",
  EPERM: "check the permissions of the file and its directory, or choose another one",
  EROFS: "choose a directory that is writable"
}

/** Returns the words and the code, for example `permission denied (EACCES)`. An unknown code stays alone. */
export const describeSystemError = (error: unknown): string => {
  const code = errorCode(error)
  const known = words[code] ?? [...getSystemErrorMap().values()].find(([name]) => name === code)?.[1]
  return known === undefined ? code : `${known} (${code})`
}

/** Returns the reason and the hint of an action that failed, for example `cannot write FILE`. */
export const systemFailure = (
  action: string,
  error: unknown,
  access: "read" | "write" | "remove" = "write"
): { readonly reason: string; readonly hint: string | null } => ({
  reason: `${action}: ${describeSystemError(error)}`,
  hint: access === "read" && errorCode(error) === "ENOENT"
    ? "check the path"
    : fixes[errorCode(error)] ?? null
})
