/** The requests of a soak test, with a Zipf distribution, and their expected responses. */
import { priceDocument, transferRecords, transfersPage, wallet } from "../Documents.ts"

export interface ExpectedResponse {
  /** Path and query. */
  readonly target: string
  /** Returns the expected body, byte for byte. */
  readonly body: () => string
}

/** The upstream fills in this template by the same rule as `expectedResponse`. */
const priceTemplate = priceDocument("@address@", "@chain@")

const pageTemplate = (length: number, cursor: string | null = "@chain@", from = 0): string =>
  transfersPage("strings", cursor, length, from).replaceAll(wallet, "@address@")

const shortPage = { limit: 10, text: pageTemplate(10) }

const longPage = { limit: 100, text: pageTemplate(100) }

/** A streamed list: the cursors and size of its pages. */
const fullList = { limit: 20, cursors: [undefined, "second", "third"] } as const

/** The records of the streamed list, page by page. */
const fullListRecords = fullList.cursors.map((_, page) =>
  transferRecords("strings", fullList.limit, page * fullList.limit).map((text) =>
    text.replaceAll(wallet, "@address@")
  )
)

/** Templates of responses by path. `faultyServer.mjs` describes the placeholders. */
export const templates: Readonly<Record<string, string>> = {
  "/api/v2.2/erc20/:address/price": priceTemplate,
  [`/api/v2.2/:address/erc20/transfers?limit=${shortPage.limit}`]: shortPage.text,
  [`/api/v2.2/:address/erc20/transfers?limit=${longPage.limit}`]: longPage.text,
  ...Object.fromEntries(
    fullList.cursors.map((cursor, index) => [
      `/api/v2.2/:address/erc20/transfers?limit=${fullList.limit}${
        cursor === undefined ? "" : `&cursor=${cursor}`
      }`,
      pageTemplate(fullList.limit, fullList.cursors[index + 1] ?? null, index * fullList.limit)
    ])
  )
}

/** Canonical chain IDs, which the proxy sends to the upstream. */
const chains = ["0x1", "0x89", "0x2105"]

/**
 * Returns the request with a number: 93 % prices, 5 % short pages, 2 % long pages. Three consecutive numbers differ only in
 * the chain.
 */
export const expectedResponse = (number: number): ExpectedResponse => {
  const { address, chain, subject } = decomposeNumber(number)
  const kind = subject % 100
  const page = kind < 98 ? shortPage : longPage
  const [path, template] = kind < 93
    ? [`/erc20/${address}/price?chain=${chain}`, priceTemplate]
    : [`/${address}/erc20/transfers?chain=${chain}&limit=${page.limit}`, page.text]
  return {
    target: `/api/v2.2${path}`,
    body: () => template.replaceAll("@address@", address).replaceAll("@chain@", chain)
  }
}

const decomposeNumber = (number: number) => {
  const subject = Math.floor(number / chains.length)
  return {
    subject,
    address: `0x50a4${subject.toString(16).padStart(36, "0")}`,
    chain: chains[number % chains.length] ?? ""
  }
}

/** Maps a number to the number of a request for a page. */
export const numberWithPage = (number: number): number => {
  const subject = Math.floor(number / chains.length)
  return (subject - subject % 100 + 93 + subject % 7) * chains.length + number % chains.length
}

/** A streamed list that the proxy reads from all pages. */
export interface ExpectedList {
  readonly target: string
  readonly pages: () => ReadonlyArray<{
    readonly records: ReadonlyArray<string>
    /** The cursor of the next page. */
    readonly cursor: string | undefined
  }>
}

/** Returns the list with a number. */
export const expectedList = (number: number): ExpectedList => {
  const { address, chain } = decomposeNumber(number)
  return {
    target: `/all/api/v2.2/${address}/erc20/transfers?chain=${chain}&limit=${fullList.limit}`,
    pages: () =>
      fullListRecords.map((records, index) => ({
        records: records.map((text) => text.replaceAll("@address@", address)),
        cursor: fullList.cursors[index + 1]
      }))
  }
}

/** The number of requests that are repeated. */
const popularCount = 3000

/** The ratio of unique requests. */
const uniqueShare = 0.05

/** Cumulative weights of popular requests: request n has a weight of 1/n (Zipf). */
const cumulativeWeights = (() => {
  let sum = 0
  return Float64Array.from({ length: popularCount }, (_, rank) => sum += 1 / (rank + 1))
})()

/** Returns the number of a popular request for a random number from 0 to 1. */
export const popularNumber = (draw: number): number => {
  const weight = draw * (cumulativeWeights.at(-1) ?? 0)
  let [low, high] = [0, popularCount - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((cumulativeWeights[middle] ?? 0) > weight) high = middle
    else low = middle + 1
  }
  return low
}

/** Returns the number of the next request for two random numbers. `sequence` must be unique. */
export const pickNumber = (uniqueDraw: number, popularityDraw: number, sequence: number): number =>
  uniqueDraw < uniqueShare ? popularCount + sequence : popularNumber(popularityDraw)
