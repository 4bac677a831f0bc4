/** Records of the index, and of the text of the status page without a browser. */
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { matches, pretty, record, start } from "./support/golden.ts"

const get = async (port: number | null, path: string): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}${path}`)).text()

/** Returns the visible text and the labels for screen readers. */
const visibleText = (html: string): string =>
  html.replaceAll(/<(script|style|svg|template)\b[\s\S]*?<\/\1>/g, "")
    .replaceAll(/<[^>]*\b(?:aria-label|placeholder|title|alt)="([^"]*)"[^>]*>/g, "\n[$1]\n")
    .replaceAll(/<\/?(?:a|b|i|em|strong|code|span|kbd|small|sup|wbr)\b[^>]*>/g, "")
    .replaceAll(/<[^>]*>/g, "\n")
    .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", "\"").replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
    .split("\n").map((line) => line.trim()).filter((line) => line !== "").join("\n")
    .concat("\n")

describe("golden records", () => {
  it("match the documents", async () => {
    const { close, running } = await start()
    await matches(pretty(JSON.parse(await get(running.port, "/"))), "index.json")
    const statusPage = visibleText(await get(running.adminPort, "/"))
    await matches(statusPage.replaceAll(`:${running.port}`, ":8650"), "status-page.txt")
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
