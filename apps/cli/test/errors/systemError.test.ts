/** Errors of the operating system in messages. */
import { expect, it } from "@effect/vitest"
import { describeSystemError, systemFailure } from "../../src/errors/SystemError.ts"

const failure = (code: string) => Object.assign(new Error("message with details"), { code })

it.each([
  ["ENOSPC", "no space left on device (ENOSPC)"],
  ["EISDIR", "illegal operation on a directory (EISDIR)"],
  ["EFUTURE", "EFUTURE"]
])("describes %s in words and with its code", (name, text) => {
  expect(describeSystemError(failure(name))).toBe(text)
})

it("says what to do about a file, and nothing about an unknown code", () => {
  expect(systemFailure("cannot write a.csv", failure("ENOSPC"))).toEqual({
    reason: "cannot write a.csv: no space left on device (ENOSPC)",
    hint: "free disk space, or choose another disk"
  })
  expect(systemFailure("cannot write a.csv", failure("EFUTURE")).hint).toBe(null)
  expect(systemFailure("cannot write a.csv", failure("ENOENT")).hint).toContain("create its directory")
})
