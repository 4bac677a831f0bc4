/** Errors of the operating system in plain words, and what to do about them. */
import * as Predicate from "effect/Predicate"
import { getSystemErrorMap } from "node:util"

/** Returns the code of an error of the file system or the network, for example ENOENT. */
export const errorCode = (error: unknown): string =>
  Predicate.isRecord(error) && typeof error["code"] === "string" ? error["code"] : String(error)

/** What to do about a file. */
const fixes: Readonly<Record<string, string>> = {
  EACCES: "check the permissions of the file and its directory, or choose another one",
  EEXIST: "remove it, or choose another name",
  EFBIG: "the disk or ulimit -f allows no larger files: choose another disk, or raise the limit",
  EISDIR: "choose the name of a file",
  ENOENT: "check the path, and create its directory if it does not exist",
  ENOSPC: "free disk space, or choose another disk",
  ENOTDIR: "a part of its path is a file: choose another path",
  EPERM: "check the permissions of the file and its directory, or choose another one",
  EROFS: "choose a directory that is writable"
}

/** Returns the words and the code, for example `permission denied (EACCES)`. An unknown code stays alone. */
export const describeSystemError = (error: unknown): string => {
  const code = errorCode(error)
  const known = [...getSystemErrorMap().values()].find(([name]) => name === code)?.[1]
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
