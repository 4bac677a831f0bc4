/** Which operation a path belongs to, and the parameters of a received request. `operations/roundTrip.test.ts` has those that were sent. */
import type { AnyOperation } from "@blockquarry/core/Operation"
import {
  allOperations,
  tokenPrice,
  updateStreamStatus,
  walletChains,
  walletTransfers
} from "@blockquarry/core/Operations"
import { parseRequest, pathMatcher } from "@blockquarry/core/RequestParsing"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { decodedInput, inputIssues } from "./support/operationInputs.ts"

const operations: ReadonlyArray<AnyOperation> = allOperations
const address = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
const other = "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359"

const match = (path: string) => {
  const found = pathMatcher(operations)(path)
  return found && [found.operation.id, found.parameters]
}

describe("a path", () => {
  it.each([
    ...[
      "",
      "/",
      "//",
      `/nft/${address}/`,
      `/nft//${address}`,
      `//nft/${address}`,
      `nft/${address}`,
      "/nft",
      "/nft/"
    ],
    ...[
      `/nft/${address}/7/owners/`,
      `/nft/${address}/7/holders`,
      `/NFT/${address}`,
      `/erc20/${address}`,
      `/erc20/${address}/supply`
    ],
    ...["/streams/evm/status", "/streams/evm//status", "/streams/evm/1/2/status", "/transactions/by_hash"],
    ...[`/wallets/${address}`, `/api/v2.2/nft/${address}`]
  ])("%j matches no operation", (path) => {
    expect(match(path)).toBeUndefined()
  })

  it("prefers literal segments over parameters", () => {
    expect(match("/nft/erc20/transfers")).toEqual(["walletTransfers", { address: "nft" }])
    const operation = (id: string, path: `/${string}`) => ({
      id,
      method: "GET" as const,
      path,
      parameters: []
    })
    const found = pathMatcher([
      operation("any", "/x/:id"),
      operation("last", "/x/last"),
      operation("other", "/:a/:b")
    ])("/x/last")
    expect(found?.operation.id).toBe("last")
    expect(found?.parameters).toEqual({})
  })
})

describe("an encoded segment", () => {
  it.each([
    ["4a%2Fb", "4a/b"],
    ["..%2F..%2Fadmin", "../../admin"],
    ["a%3Fx%3D1", "a?x=1"],
    ["%E6%97%A5", "日"],
    ["a%252Fb", "a%2Fb"],
    ["a+b", "a+b"],
    ["日", "日"],
    ["100%", "100%"],
    ["%E0%A4%A", "%E0%A4%A"],
    ["%ff", "%ff"],
    ["__proto__", "__proto__"]
  ])("%s is decoded to %j and remains one segment", (segment, id) => {
    expect(match(`/streams/evm/${segment}/status`)).toEqual(["updateStreamStatus", { id }])
  })

  it("never throws for any path", () => {
    const segment = FastCheck.oneof(
      FastCheck.constantFrom("nft", "erc20", "wallets", "..", "%2e", "%", address, ""),
      FastCheck.string({ unit: "binary" })
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.array(segment, { maxLength: 6 }), (segments) => {
        const found = match(`/${segments.join("/")}`)
        expect(found === undefined || Array.isArray(found)).toBe(true)
      })
    )
  })
})

/** The parameters of a received GET request. */
const parsed = (operation: AnyOperation, query: string) =>
  parseRequest(operation, { address }, [...new URLSearchParams(query)], undefined)

describe("a received query", () => {
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
