import { Address } from "@blockquarry/core/Address"
import { Chain } from "@blockquarry/core/Chain"
import { inputSchema, inQuery, optional } from "@blockquarry/core/InputSchema"
import { Integer } from "@blockquarry/core/Integer"
import { readByPost } from "@blockquarry/core/Operation"
import { updateStreamStatus } from "@blockquarry/core/operations/updateStreamStatus"
import { decodeInput, encodeRequest } from "@blockquarry/core/RequestEncoding"
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

describe("readByPost", () => {
  const operation = readByPost({
    id: "erc20Prices",
    api: "data",
    path: "/erc20/:address/prices",
    input: inputSchema({
      address: Address,
      chain: optional(inQuery(Chain)),
      blocks: Schema.Array(Schema.Struct({ to_block: Integer }))
    }),
    output: Schema.Array(Schema.String),
    cost: 1,
    docs: { summary: "Get prices" }
  })

  it("sends marked parameters in the query, and the others in the body", () => {
    const address = `0x${"ab".repeat(20)}`
    const input = Either.getOrThrow(
      decodeInput(operation, { address, chain: "eth", blocks: [{ to_block: "5" }] })
    )
    expect(encodeRequest(operation, input)).toEqual({
      method: "POST",
      path: `/erc20/${address}/prices`,
      query: [["chain", "0x1"]],
      body: JSON.stringify({ blocks: [{ to_block: 5 }] })
    })
  })

  it("is retried like a read, and an update is not", () => {
    expect([operation.retry, updateStreamStatus.retry]).toEqual(["always", "if-not-applied"])
  })
})
