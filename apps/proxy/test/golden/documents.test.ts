/** A record of the index, and the error codes in all records. */
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { matches, pretty, record, start } from "./support/golden.ts"

const get = async (port: number | null, path: string): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}${path}`)).text()

describe("golden records", () => {
  it("match the documents", async () => {
    const { close, running } = await start()
    await matches(pretty(JSON.parse(await get(running.port, "/"))), "index.json")
    // Their records are those of the banner, and of the status page in a browser
    const example = `http://127.0.0.1:${running.port}/transactions/by_hash/`
    expect(await get(running.adminPort, "/")).toContain(example)
    await close()
  })

  it("contain every error code that the OpenAPI document lists", async () => {
    const { close, running } = await start()
    const described = await get(running.port, "/openapi.json")
    await close()
    const listed = /"code":\{[^}]*"enum":\[([^\]]*)\]/.exec(described)?.[1] ?? ""
    const codes = listed.split(",").map((code) => code.replaceAll("\"", ""))
    expect(codes.length).toBeGreaterThan(20)
    const exchanges = readdirSync(record("")).filter((file) => file.endsWith(".http"))
      .map((file) => readFileSync(record(file), "utf8")).join("\n")
    expect(codes.filter((code) => !exchanges.includes(`"code":"${code}"`))).toEqual([])
  })
})
