/** Records of `config check` and `config print` for each configuration. */
import { afterAll, describe, expect, it } from "vitest"
import { sample } from "../../../../packages/core/test/support/sample.ts"
import * as Cases from "./cases.ts"
import * as InProcess from "./inProcess.ts"
import { Workshop } from "./processes.ts"
import { record, recordPath, withoutDefaults } from "./records.ts"

const workshop = new Workshop()

afterAll(() => workshop.remove())

/** A warning of every case without a base URL. Only the records of accepted configurations show it. */
const noBaseUrl = /^warning: upstream\.baseUrls: no base URL is set.*\n/m

describe.each([["check", Cases.check], ["print", Cases.print]] as const)("config %s", (command, groups) => {
  it.each([...groups])("matches the record: %s", async (group, cases) => {
    const records: Array<string> = []
    for (const each of cases) {
      const { code, stderr, stdout } = await InProcess.run(each)
      records.push(record(each, {
        code,
        stdout: group === "sources" ? withoutDefaults(stdout) : stdout,
        stderr: group === "accepted" ? stderr : stderr.replace(noBaseUrl, "")
      }))
    }
    await expect(records.join("\n")).toMatchFileSnapshot(recordPath(`${command}-${group}`))
  })

  it.each(
    sample([...groups.values()].flat().filter(({ process }) => process), 4).map((each) =>
      [each.title, each] as const
    )
  )(
    "has the same output as a process: %s",
    async (_, each) => {
      expect(await workshop.start(each).ended()).toEqual(await InProcess.run(each))
    }
  )
})
