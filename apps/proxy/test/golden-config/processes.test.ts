/** Records of startup and shutdown. */
import { once } from "node:events"
import { createServer } from "node:net"
import { afterAll, describe, expect, it } from "vitest"
import * as Cases from "./cases.ts"
import { Workshop } from "./processes.ts"
import { record, recordPath, withoutPorts, withoutTimes, withoutTokens } from "./records.ts"

const workshop = new Workshop()

afterAll(() => workshop.remove())

/** The last line of the startup banner. */
const up = /Ctrl-C/

const occupied = async (): Promise<{ readonly port: number; readonly close: () => void }> => {
  const server = createServer()
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close: () => void server.close()
  }
}

describe("serve", () => {
  it("matches the record if it cannot start", async () => {
    const { close, port } = await occupied()
    const records: Array<string> = []
    for (const each of Cases.failures) {
      const program = workshop.start(each, (text) => text.replaceAll("{port}", String(port)))
      records.push(record(each, await program.ended()))
    }
    close()
    await expect(withoutTimes(records.join("\n").replaceAll(new RegExp(`\\b${port}\\b`, "g"), "{port}")))
      .toMatchFileSnapshot(recordPath("serve-failures"))
  })

  it("matches the record when it starts and stops", async () => {
    const records: Array<string> = []
    for (const each of Cases.starts) {
      const program = workshop.start(each)
      await program.until(({ stderr, stdout }) => up.test(stdout) && stderr.includes("listening"))
      program.signal(each.signal)
      records.push(record(each, await program.ended()))
    }
    await expect(withoutTimes(withoutPorts(withoutTokens(records.join("\n"))))).toMatchFileSnapshot(
      recordPath("serve-starts")
    )
  })
})
