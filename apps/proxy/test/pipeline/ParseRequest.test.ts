/** The upstream requests that received ones become. `parseRequest` of core has the formats of arrays, chains and dates. */
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import type { Config } from "../../src/config/Config.ts"
import { parseRequest } from "../../src/pipeline/ParseRequest.ts"
import { findRoute, parseTarget } from "../../src/pipeline/Router.ts"

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
