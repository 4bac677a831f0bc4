/** Records of `config check` and `config print` for each configuration, and of other command lines. */
import { describe, expect, it } from "vitest"
import * as Cases from "./cases.ts"
import * as InProcess from "./inProcess.ts"
import { record, recordPath, withoutDefaults, withoutTokens } from "./records.ts"

const commands = [["check", Cases.check], ["print", Cases.print], ["commands", Cases.commands]] as const

describe.each(commands)("the record of %s", (command, groups) => {
  it.each([...groups])("matches: %s", async (group, cases) => {
    const records: Array<string> = []
    for (const each of cases) {
      const ended = await InProcess.run(each)
      const stdout = group === "sources" ? withoutDefaults(ended.stdout) : ended.stdout
      records.push(record(each, { ...ended, stdout }))
    }
    await expect(command === "commands" ? withoutTokens(records.join("\n")) : records.join("\n"))
      .toMatchFileSnapshot(recordPath(`${command}-${group}`))
  })
})
