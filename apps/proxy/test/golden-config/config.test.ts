/** Records of `config check` and `config print` for each configuration, and of other command lines. */
import { describe, expect, it } from "vitest"
import * as Cases from "./cases.ts"
import * as InProcess from "./inProcess.ts"
import { record, recordPath, withoutDefaults, withoutTokens } from "./records.ts"

/** A warning of every case without a base URL. Only the records of accepted configurations show it. */
const noBaseUrl = /^warning: upstream\.baseUrls: no base URL is set.*\n/m

const commands = [["check", Cases.check], ["print", Cases.print], ["commands", Cases.commands]] as const

describe.each(commands)("the record of %s", (command, groups) => {
  it.each([...groups])("matches: %s", async (group, cases) => {
    const records: Array<string> = []
    for (const each of cases) {
      const { code, stderr, stdout } = await InProcess.run(each)
      records.push(record(each, {
        code,
        stdout: group === "sources" ? withoutDefaults(stdout) : stdout,
        stderr: group === "accepted" ? stderr : stderr.replace(noBaseUrl, "")
      }))
    }
    await expect(command === "commands" ? withoutTokens(records.join("\n")) : records.join("\n"))
      .toMatchFileSnapshot(recordPath(`${command}-${group}`))
  })
})
