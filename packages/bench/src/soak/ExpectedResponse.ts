/** What is asked in a soak: few questions often, many seldom, some once; and the one right answer to each. */
import { priceDocument, transferRecords, transfersPage, wallet } from "../Documents.ts"

export interface ExpectedResponse {
  /** Path and query. */
  readonly target: string
  /** The right answer, byte for byte. */
  readonly body: () => string
}

/** What is behind the proxy fills these in, by the same rule as `answer`. */
const priceTemplate = priceDocument("@address@", "@chain@")

const pageTemplate = (length: number, cursor: string | null = "@chain@", from = 0): string =>
  transfersPage("strings", cursor, length, from).replaceAll(wallet, "@address@")

const shortPage = { limit: 10, text: pageTemplate(10) }

const longPage = { limit: 100, text: pageTemplate(100) }

/** A whole list: cursors that lead to its pages, and how many records each has. */
const fullList = { limit: 20, cursors: [undefined, "second", "third"] } as const

/** Records of a whole list, page by page. */
const fullListRecords = fullList.cursors.map((_, page) =>
  transferRecords("strings", fullList.limit, page * fullList.limit).map((text) =>
    text.replaceAll(wallet, "@address@")
  )
)

/** Texts by what is asked; the service that fails says what the marks in them mean. */
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

/** As the service knows them: whatever spelling a client uses, this is what the service is asked. */
const chains = ["0x1", "0x89", "0x2105"]

/**
 * The question of a number: of a hundred tokens and wallets 93 are asked for a price, five for a short page and two
 * for a long one. Three numbers in a row are the same but for the chain.
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

/** What a number stands for. */
const decomposeNumber = (number: number) => {
  const subject = Math.floor(number / chains.length)
  return {
    subject,
    address: `0x50a4${subject.toString(16).padStart(36, "0")}`,
    chain: chains[number % chains.length] ?? ""
  }
}

/** The number of a question that is answered with a page, for each number. */
export const numberWithPage = (number: number): number => {
  const subject = Math.floor(number / chains.length)
  return (subject - subject % 100 + 93 + subject % 7) * chains.length + number % chains.length
}

/** A whole list, which is asked of the proxy as one. */
export interface ExpectedList {
  readonly target: string
  readonly pages: () => ReadonlyArray<{
    readonly records: ReadonlyArray<string>
    /** Leads to the next page. */
    readonly cursor: string | undefined
  }>
}

/** The list of a number. */
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

/** How many questions are asked more than once. */
const popularCount = 3000

/** The part of requests that ask what nobody else asks. */
const uniqueShare = 0.05

/** The parts of popular questions, added up: the second is asked half as often as the first, and so on (Zipf). */
const cumulativeWeights = (() => {
  let sum = 0
  return Float64Array.from({ length: popularCount }, (_, rank) => sum += 1 / (rank + 1))
})()

/** A popular question's number, by chance. */
export const popularNumber = (chance: number): number => {
  const wanted = chance * (cumulativeWeights.at(-1) ?? 0)
  let [low, high] = [0, popularCount - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((cumulativeWeights[middle] ?? 0) > wanted) high = middle
    else low = middle + 1
  }
  return low
}

/** Numbers of questions as they come, by two chances; `turn` is a number that was never given before. */
export const pickNumber = (uniqueDraw: number, popularityDraw: number, sequence: number): number =>
  uniqueDraw < uniqueShare ? popularCount + sequence : popularNumber(popularityDraw)
