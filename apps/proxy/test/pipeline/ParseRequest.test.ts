/** The upstream requests that received ones become. `parseRequest` of core has the formats of arrays, chains and dates. */
import { inputSchema, optional, passthrough } from "@blockquarry/core/InputSchema"
import { Integer } from "@blockquarry/core/Integer"
import { Json } from "@blockquarry/core/Json"
import { get } from "@blockquarry/core/Operation"
import { NoStore } from "@blockquarry/core/Ttl"
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import type { Config } from "../../src/config/Config.ts"
import { parseRequest, rewrite } from "../../src/pipeline/ParseRequest.ts"
import { parseTarget } from "../../src/pipeline/Router.ts"
import { findRoute } from "../../src/pipeline/Router.ts"

const wallet = `0x${"a1".repeat(20)}`
const token = `0x${"b2".repeat(20)}`
const transfers = `/${wallet}/erc20/transfers`
const trades = `/wallets/${wallet}/nfts/trades`
const body = { status: "paused" }

const rewritten = (target: string, validation: Config["validation"] = "lenient") =>
  parseTarget(target).pipe(
    Either.flatMap(({ path, query }) =>
      Either.flatMap(
        Either.fromNullable(findRoute(path), () => "no route"),
        (match) => parseRequest(match, query, body, validation)
      )
    ),
    Either.map(({ request: { path, query } }) => [path, ...query.map((pair) => pair.join("="))])
  )

describe("a request", () => {
  it.each<readonly [received: string, path: string, ...query: ReadonlyArray<string>]>([
    [
      `${transfers}?contract_addresses=${token.replace("b", "B")},${wallet}`,
      transfers,
      `contract_addresses[]=${token}`,
      `contract_addresses[]=${wallet}`
    ],
    [
      `/${wallet.toUpperCase().replace("0X", "0x")}/erc20/transfers?chain=Polygon+Amoy`,
      transfers,
      "chain=0x13882"
    ],
    [`/%30x${wallet.slice(2)}/erc20/transfers?&&chain=&limit=07`, transfers, "limit=7"],
    [
      `${transfers}?order=asc&from_date=2024-01-02`,
      transfers,
      "order=ASC",
      "from_date=2024-01-02T00:00:00.000Z"
    ],
    [
      `/nft/${token}/0x0A/owners?media_items=0&normalizeMetadata=TRUE`,
      `/nft/${token}/10/owners`,
      "normalizeMetadata=true",
      "media_items=false"
    ],
    // Forwarded unchanged: unknown parameters, cursors, and values of open parameters that are not understood
    [
      `${transfers}?include_spam=a%26b%3Dc&limit=2&x[]=1&x[]=2&bare`,
      transfers,
      ...["limit=2", "include_spam=a&b=c", "x[]=1", "x[]=2", "bare="]
    ],
    [`${transfers}?cursor=e30.%2B/%00%c3%a9%22`, transfers, "cursor=e30.+/\u0000é\""],
    [`${transfers}?from_date=the+flood&limit=2`, transfers, "limit=2", "from_date=the flood"],
    [
      `${transfers}?from_date=Wed+May++1+08:00:00+EDT+2024&to_date=Sat+Jun++1+20:00:00+CST+2024`,
      transfers,
      "from_date=2024-05-01T12:00:00.000Z",
      "to_date=Sat Jun  1 20:00:00 CST 2024"
    ],
    [
      `${trades}?from_date=the%20flood&to_date=1704153600`,
      trades,
      "to_date=2024-01-02T00:00:00.000Z",
      "from_date=the flood"
    ],
    [`/nft/${token}?format=octal`, `/nft/${token}`, "format=octal"],
    // A block bound replaces a date bound of the same side
    [
      `${transfers}?from_date=2024-01-02&from_block=5&to_date=the+end&to_block=9`,
      transfers,
      ...["from_block=5", "to_block=9"]
    ],
    [
      `${transfers}?from_date=the+flood&from_block=5&to_date=the+end`,
      transfers,
      "from_block=5",
      "to_date=the end"
    ]
  ])("to %s is sent to %s", (received, ...sent) => {
    expect(rewritten(`/api/v2.2${received}`)).toEqual(Either.right(sent))
  })

  it("is rejected for a date that only conflicts with another one", () => {
    const query = "from_date=2024-02-01&to_date=2024-01-01"
    expect(rewritten(`/api/v2.2${transfers}?${query}`)).toMatchObject({ left: { code: "invalid-request" } })
  })

  it("has its path parameters encoded in one form", () => {
    for (
      const [received, sent] of [["a%20b%3F%25c", "a%20b%3F%25c"], [
        "%c3%a9!'()*:@;=,$~",
        "%C3%A9!'()*%3A%40%3B%3D%2C%24~"
      ]]
    ) {
      expect(rewritten(`/streams/evm/${received}/status`)).toEqual(
        Either.right([`/streams/evm/${sent}/status`])
      )
    }
  })
})

it.each([
  [`/erc20/${token}/price?chain=monad`, true, false],
  [`/nft/${token}?format=octal`, true, false],
  [`/nft/${token}?format=hex`, true, true],
  [`${transfers}?order=RANDOM`, true, false],
  [`${transfers}?from_date=someday`, true, false],
  [`/erc20/${token}/price?chain=0x1`, true, true],
  [`/erc20/${token}/price?chain=polygn`, false, false],
  [`${transfers}?limit=x`, false, false],
  [`${transfers}?unknown=1`, true, true]
])("%s is accepted by lenient validation: %s, by strict validation: %s", (target, lenient, strict) => {
  const accepted = (["lenient", "strict"] as const).map((validation) =>
    Either.isRight(rewritten(`/api/v2.2${target}`, validation))
  )
  expect(accepted).toEqual([lenient, strict])
})

it("values that cannot be read are forwarded for open parameters only", () => {
  const operation = get({
    id: "test",
    api: "data",
    path: "/test",
    input: inputSchema({ open: optional(passthrough(Integer)), closed: optional(Integer) }),
    output: Json,
    ttl: () => NoStore(),
    cost: 1,
    docs: { summary: "a test" }
  })
  const sent = (...query: ReadonlyArray<readonly [string, string]>) =>
    Either.map(rewrite(operation, {}, query, undefined, "lenient"), ({ request }) => request.query)
  expect(sent(["open", "soon"], ["closed", "07"])).toEqual(Either.right([["closed", "7"], ["open", "soon"]]))
  expect(sent(["open", "07"])).toEqual(Either.right([["open", "7"]]))
  for (const open of ["7", "soon"]) {
    expect(sent(["open", open], ["closed", "soon"])).toMatchObject({
      left: { issues: [{ parameter: "closed" }] }
    })
  }
})
