import type { AnyOperation } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { decodeInput } from "@blockquarry/core/RequestEncoding"
import { pathMatcher } from "@blockquarry/core/RequestParsing"
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"

const operations: ReadonlyArray<AnyOperation> = allOperations
const a = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"

const match = (path: string) => {
  const found = pathMatcher(operations)(path)
  return found && [found.operation.id, found.parameters]
}

describe("a path", () => {
  it.each([
    ...["", "/", "//", `/nft/${a}/`, `/nft//${a}`, `//nft/${a}`, `nft/${a}`, "/nft", "/nft/"],
    ...[`/nft/${a}/7/owners/`, `/nft/${a}/7/holders`, `/NFT/${a}`, `/erc20/${a}`, `/erc20/${a}/supply`],
    ...["/streams/evm/status", "/streams/evm//status", "/streams/evm/1/2/status", "/transactions/by_hash"],
    ...[`/wallets/${a}`, `/api/v2.2/nft/${a}`]
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

  it.each([
    `/nft/../erc20/${a}/price`,
    `/erc20/${a}/../owners`,
    `/wallets/${a}/../../streams/evm/1/status`,
    "/nft/..%2f..",
    "/nft/%2e%2e/7"
  ])("the traversal %s matches no operation with a valid input", (path) => {
    const found = pathMatcher(operations)(path)
    expect(found === undefined || Either.isLeft(decodeInput(found.operation, found.parameters))).toBe(true)
  })

  it("never throws for any path", () => {
    const segment = FastCheck.oneof(
      FastCheck.constantFrom("nft", "erc20", "wallets", "..", "%2e", "%", a, ""),
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
