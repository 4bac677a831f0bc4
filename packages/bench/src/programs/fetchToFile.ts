/** Writes the records of a list as lines of JSON with nothing but Node.js: `fetchToFile ORIGIN WALLET COUNT FILE`. */
import { once } from "node:events"
import { createWriteStream } from "node:fs"

const [origin = "", wallet = "", count = "0", file = ""] = process.argv.slice(2)

interface TransfersPage {
  readonly cursor: string | null
  readonly result: ReadonlyArray<unknown>
}

const isPage = (document: unknown): document is TransfersPage =>
  typeof document === "object" && document !== null && "result" in document

const output = createWriteStream(file)
let written = 0
for (let cursor: string | null = ""; cursor !== null && written < Number(count);) {
  const query = cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor)}`
  const response = await fetch(`${origin}/api/v2.2/${wallet}/erc20/transfers${query}`, {
    headers: { "x-api-key": "sandbox-good-key" }
  })
  const page: unknown = await response.json()
  if (!isPage(page)) throw new Error(`unexpected response ${response.status}`)
  const records = page.result.slice(0, Number(count) - written)
  written += records.length
  if (!output.write(records.map((record) => `${JSON.stringify(record)}\n`).join(""))) {
    await once(output, "drain")
  }
  cursor = page.cursor
}
output.end()
await once(output, "finish")
