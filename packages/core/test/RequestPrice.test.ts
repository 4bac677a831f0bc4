import { requestPrice } from "@blockquarry/core/RequestPrice"
import { describe, expect, it } from "@effect/vitest"

const query = (text: string) => [...new URLSearchParams(text)]

const priceOf = (parameter: string, text: string, body: string | null = null) =>
  requestPrice({ price: 2, per: { parameter, maxItems: 100 } }, { query: query(text), body })

it("is that of the request without `per`", () => {
  expect(requestPrice({ price: 50 }, { query: query("limit=5&chains=a,b"), body: null })).toBe(50)
})

describe("per number of items", () => {
  it.each([["limit=1", 2], ["q=a&limit=25", 50], ["limit=100", 200], ["limit=25&limits=1", 50]])(
    "%j costs %i",
    (text, price) => expect(priceOf("limit", text)).toBe(price)
  )

  it.each([
    ...["", "limit", "limit=", "limit=0", "limit=-1", "limit=%2B50", "limit=+50", "limit=050", "limit=0x32"],
    ...[
      "limit=5e1",
      "limit=5.0",
      "limit=5_0",
      "limit=1,000",
      "limit=%EF%BC%95",
      "limit=%D9%A5",
      "limit=five"
    ],
    ...["limit=101", "limit=999950", `limit=${"9".repeat(400)}`, "limit=1&limit=1", "limit=100&limit=0"],
    ...["limit[]=5", "limit[a]=5", "limit=1&limit[]=50", "limit=1&LIMIT=50", "Limit=1", "limit=1&+limit=50"],
    ...["limit=1&limit%00=50", "limit=1&limit.=50", "limit=1&limit[=50"]
  ])("%j costs the maximum", (text) => expect(priceOf("limit", text)).toBe(200))

  it("costs the maximum with a body, which may have the parameter", () => {
    expect(priceOf("limit", "limit=1", "{}")).toBe(200)
  })

  it("knows other spellings of names with separators", () => {
    expect(priceOf("page_size", "page_size=5")).toBe(10)
    expect(priceOf("page_size", "page_size=5&page.size=9")).toBe(200)
    expect(priceOf("page_size", "page_size=5&page[size=9")).toBe(200)
  })
})

describe("per value of a list", () => {
  it.each([
    ["chains=eth", 2],
    ["chains[]=eth", 2],
    ["chains[]=eth&chains[]=base&chain=eth", 4],
    ["chains[0]=0x1&chains[1]=0x89", 4],
    ["chains=eth&chains=base&chains=bsc", 6],
    ["chains=eth,base", 4],
    ["chains=25", 2],
    ["chains=0", 2],
    [`chains=${Array.from({ length: 101 }, () => "eth").join(",")}`, 200]
  ])("%j costs %i", (text, price) => expect(priceOf("chains[]", text)).toBe(price))

  it.each([
    ...[
      "",
      "chains",
      "chains=",
      "chains[]=",
      "chains=eth,",
      "chains=,",
      "chains=all",
      "chains=ALL",
      "chains=*"
    ],
    ...[
      "chains=eth base",
      "chains=eth|base",
      "chains=eth;base",
      "chains=eth%0Abase",
      `chains=["eth","base"]`
    ],
    ...["chains[a]=eth", "chains[0][]=eth", "chains[]=eth&CHAINS[]=base"]
  ])("%j costs the maximum", (text) => expect(priceOf("chains[]", text)).toBe(200))
})
