/** Prices of requests. */
import type { AnyOperation } from "./Operation.ts"
import type { EncodedRequest } from "./RequestEncoding.ts"

/** The response header with the price of a request, in units. */
export const weightHeader = "x-request-weight"

/**
 * Returns the price of a request in units. With `per`, each value of that parameter has the price; a single whole number,
 * such as that of `limit`, counts as so many values.
 *
 * @example
 * import { requestPrice } from "@blockquarry/core/RequestPrice"
 *
 * requestPrice({ price: 50, per: "chains" }, [["chains[]", "eth"], ["chains[]", "base"]]) // 100
 */
export const requestPrice = (
  { per, price }: Pick<AnyOperation, "price" | "per">,
  query: EncodedRequest["query"]
): number => per === undefined ? price : price * itemsOf(per, query)

const itemsOf = (parameter: string, query: EncodedRequest["query"]): number => {
  const values = query.flatMap(([name, value]) =>
    name.replace(/\[\d*\]$/, "") === parameter ? value.split(",") : []
  )
  const [value = ""] = values
  return values.length === 1 && /^\d{1,9}$/.test(value) ? Number(value) : Math.max(1, values.length)
}
