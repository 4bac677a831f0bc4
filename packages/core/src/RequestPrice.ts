/** Prices of requests. */
import type { AnyOperation } from "./Operation.ts"
import type { EncodedRequest } from "./RequestEncoding.ts"

/** The response header with the price of a request, in units. */
export const weightHeader = "x-request-weight"

/**
 * Returns the expected price of a request in units. A caller must not choose it: a number of items that an upstream may read
 * differently is `maxItems`, such as a parameter that is absent, repeated, or not a positive decimal integer, or may be in `body`.
 *
 * @example
 * import { requestPrice } from "@blockquarry/core/RequestPrice"
 *
 * const per = { parameter: "limit", maxItems: 100 }
 *
 * requestPrice({ price: 2, per }, { query: [["limit", "25"]], body: null }) // 50
 * requestPrice({ price: 2, per }, { query: [], body: null }) // 200
 */
export const requestPrice = (
  { per, price }: Pick<AnyOperation, "price" | "per">,
  { body = null, query }: Pick<EncodedRequest, "query"> & Partial<Pick<EncodedRequest, "body">>
): number =>
  per === undefined
    ? price
    : price * Math.min(per.maxItems, body === null ? itemsOf(per.parameter, query) : Infinity)

const itemsOf = (parameter: string, query: EncodedRequest["query"]): number => {
  const name = parameter.replace("[]", "")
  const found = query.filter(([other]) => [other, other.replace(/\[.*/s, "")].map(fold).includes(fold(name)))
  if (name === parameter) {
    const [[other, value] = ["", ""], repeated] = found
    return other === name && repeated === undefined && /^[1-9]\d*$/.test(value) ? Number(value) : Infinity
  }
  const items = found.flatMap(([other, value]) =>
    other.replace(/\[\d*\]$/, "") === name ? value.split(",") : [""]
  )
  // Without other separators, and not the word for all values.
  return items.length > 0 && items.every((item) => /^(?!all$)[\w.-]+$/i.test(item)) ? items.length : Infinity
}

/** Servers ignore case or spaces, and read `page.size` and `page[size` as `page_size`. */
const fold = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")
