import type { AnyOperation } from "@blockquarry/core/Operation"
import { tokenPrice } from "@blockquarry/core/operations/tokenPrice"
import { updateStreamStatus } from "@blockquarry/core/operations/updateStreamStatus"
import { walletChains } from "@blockquarry/core/operations/walletChains"
import { walletTransfers } from "@blockquarry/core/operations/walletTransfers"
import { parseRequest } from "@blockquarry/core/RequestParsing"
import { describe, expect, it } from "@effect/vitest"
import { decodedInput, inputIssues } from "../support/operationInputs.ts"

const address = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
const other = "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359"

/** The parameters of a received GET request. */
const parsed = (operation: AnyOperation, query: string) =>
  parseRequest(operation, { address }, [...new URLSearchParams(query)], undefined)

describe("a received query", () => {
  it("accepts a name with a space as + or %20", () => {
    for (const query of ["chain=polygon+amoy", "chain=Polygon%20Amoy"]) {
      expect(decodedInput(walletTransfers, parsed(walletTransfers, query).encoded))
        .toEqual({ address, chain: "polygon amoy" })
    }
  })

  it("accepts unencoded colons in dates, and a space in place of +", () => {
    const { encoded } = parsed(
      walletTransfers,
      "from_date=2024-01-02T03:04:05.000Z&to_date=2024-01-03T05:30:00+05:30"
    )
    expect(decodedInput(walletTransfers, encoded)).toMatchObject({
      from_date: { epochMillis: Date.UTC(2024, 0, 2, 3, 4, 5) },
      to_date: { epochMillis: Date.UTC(2024, 0, 3) }
    })
  })

  it("returns unknown parameters unchanged and in order", () => {
    const query = "z=1&chain=eth&a%5B%5D=2&z=3&token_id=4&a[0]=%20&address=x&__proto__=5&limit[x]=6&=7"
    const { unknownQuery, encoded } = parsed(tokenPrice, query)
    expect(unknownQuery).toEqual([
      ["z", "1"],
      ["a[]", "2"],
      ["z", "3"],
      ["token_id", "4"],
      ["a[0]", " "],
      ["address", "x"],
      ["__proto__", "5"],
      ["limit[x]", "6"],
      ["", "7"]
    ])
    expect(decodedInput(tokenPrice, encoded)).toStrictEqual({ address, chain: "eth" })
  })

  it.each(["limit=1&limit=2", "limit[]=1&limit[]=2"])(
    "is rejected if it repeats a single value: %s",
    (query) => {
      expect(inputIssues(walletTransfers, parsed(walletTransfers, query).encoded)).toEqual([
        ["limit", "expected an integer of at least 1, got an array"]
      ])
    }
  )

  it("cannot override a path parameter", () => {
    const { encoded } = parsed(walletChains, `address=${other}`)
    expect(decodedInput(walletChains, encoded)).toStrictEqual({ address })
  })
})

describe("a received body", () => {
  const body = (members: unknown, query = "") =>
    parseRequest(updateStreamStatus, { id: "1" }, [...new URLSearchParams(query)], members)

  it("cannot override a path parameter", () => {
    expect(decodedInput(updateStreamStatus, body({ id: "2", status: "active", extra: 1 }).encoded))
      .toStrictEqual({
        id: "1",
        status: "active"
      })
  })

  it("is not supplemented by the query, which has unknown parameters only", () => {
    const { unknownQuery, encoded } = body({}, "status=paused")
    expect(unknownQuery).toEqual([["status", "paused"]])
    expect(inputIssues(updateStreamStatus, encoded)).toEqual([["status", "is missing"]])
  })

  it.each([undefined, null, "paused", ["paused"], {}])("is rejected without a status: %j", (members) => {
    expect(inputIssues(updateStreamStatus, body(members).encoded)).toEqual([["status", "is missing"]])
  })
})
