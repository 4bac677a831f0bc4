/** The page of commands. */
import { allOperations } from "@blockquarry/core/Operations"
import { describe, expect, it } from "vitest"
import { defaults } from "../../src/config/Config.ts"
import * as DocsPage from "../../src/docs/DocsPage.ts"
import * as CostTable from "../../src/quota/CostTable.ts"
import { examples } from "../support/proxy.ts"

const pageWith = (values: Parameters<typeof DocsPage.render>[1]) => {
  const costs = { ...defaults.costs, tokenPrice: { price: 7, rateCost: 3 } }
  const { body } = DocsPage.render(CostTable.make({ ...defaults, costs }), values)
  return new Map(
    (body instanceof Uint8Array ? new TextDecoder().decode(body) : "").trim().split("\n\n").map((text) =>
      [/^# (\w+):/.exec(text)?.[1], text] as const
    )
  )
}
const page = pageWith(examples)

describe("the page", () => {
  it("lists every operation with its summary", () => {
    for (const { docs, id } of allOperations) expect(page.get(id)).toContain(docs.summary)
  })

  it("shows the configured cost of an operation", () => {
    expect(page.get("tokenPrice")).toContain("Price 7, rate cost 3")
  })

  it("has a command for the example of an operation, or for its path", () => {
    expect(page.get("walletTransfers")).toContain(
      `\ncurl "$PROXY/api/v2.2/${examples.wallet}/erc20/transfers?chain=0x1&limit=3" \\\n  -H "X-API-Key: $TOKEN"`
    )
    expect(page.get("updateStreamStatus")).toContain(
      `\ncurl -X POST "$PROXY/streams/evm/${examples.stream}/status" \\\n  -H "X-API-Key: $TOKEN" \\\n` +
        `  -H 'Content-Type: application/json' \\\n  -d '{"status":"paused"}'`
    )
    expect(pageWith(undefined).get("updateStreamStatus")).toContain("/streams/evm/{id}/status")
  })
})
