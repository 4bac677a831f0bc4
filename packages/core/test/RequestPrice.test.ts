import { requestPrice } from "@blockquarry/core/RequestPrice"
import { expect, it } from "@effect/vitest"

const query = (text: string) => [...new URLSearchParams(text)]

it.each([
  ["", 50],
  ["chains[]=eth", 50],
  ["chains[]=eth&chains[]=base&chain=eth", 100],
  ["chains[0]=eth&chains[1]=base", 100],
  ["chains=eth&chains=base&chains=bsc", 150],
  ["chains=eth,base", 100],
  ["chains=", 50],
  ["chains=25", 1250],
  ["chains=0", 0],
  ["chains=1&chains=25", 100],
  ["chains=1e9", 50],
  ["chains=9999999999", 50]
])("the price of a request with %j is %i", (text, price) => {
  expect(requestPrice({ price: 50, per: "chains" }, query(text))).toBe(price)
  expect(requestPrice({ price: 50 }, query(text))).toBe(50)
})
