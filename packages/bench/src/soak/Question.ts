/** What is asked in a soak: few questions often, many seldom, some once; and the one right answer to each. */
import { priceOf, transfers, transferTexts, wallet } from "../Documents.ts"

export interface Question {
  /** Path and query. */
  readonly target: string
  /** The right answer, byte for byte. */
  readonly answer: () => string
}

/** What is behind the proxy fills these in, by the same rule as `answer`. */
const price = priceOf("@address@", "@chain@")

const page = (length: number, cursor: string | null = "@chain@", from = 0): string =>
  transfers("strings", cursor, length, from).replaceAll(wallet, "@address@")

const short = { limit: 10, text: page(10) }

const long = { limit: 100, text: page(100) }

/** A whole list: cursors that lead to its pages, and how many records each has. */
const whole = { limit: 20, cursors: [undefined, "second", "third"] } as const

/** Records of a whole list, page by page. */
const listed = whole.cursors.map((_, page) =>
  transferTexts("strings", whole.limit, page * whole.limit).map((text) =>
    text.replaceAll(wallet, "@address@")
  )
)

/** Texts by what is asked; the service that fails says what the marks in them mean. */
export const templates: Readonly<Record<string, string>> = {
  "/api/v2.2/erc20/:address/price": price,
  [`/api/v2.2/:address/erc20/transfers?limit=${short.limit}`]: short.text,
  [`/api/v2.2/:address/erc20/transfers?limit=${long.limit}`]: long.text,
  ...Object.fromEntries(
    whole.cursors.map((cursor, index) => [
      `/api/v2.2/:address/erc20/transfers?limit=${whole.limit}${
        cursor === undefined ? "" : `&cursor=${cursor}`
      }`,
      page(whole.limit, whole.cursors[index + 1] ?? null, index * whole.limit)
    ])
  )
}

/** As the service knows them: whatever spelling a client uses, this is what the service is asked. */
const chains = ["0x1", "0x89", "0x2105"]

/**
 * The question of a number: of a hundred tokens and wallets 93 are asked for a price, five for a short page and two
 * for a long one. Three numbers in a row are the same but for the chain.
 */
export const question = (number: number): Question => {
  const { address, chain, subject } = subjectOf(number)
  const kind = subject % 100
  const page = kind < 98 ? short : long
  const [path, template] = kind < 93
    ? [`/erc20/${address}/price?chain=${chain}`, price]
    : [`/${address}/erc20/transfers?chain=${chain}&limit=${page.limit}`, page.text]
  return {
    target: `/api/v2.2${path}`,
    answer: () => template.replaceAll("@address@", address).replaceAll("@chain@", chain)
  }
}

/** What a number stands for. */
const subjectOf = (number: number) => {
  const subject = Math.floor(number / chains.length)
  return {
    subject,
    address: `0x50a4${subject.toString(16).padStart(36, "0")}`,
    chain: chains[number % chains.length] ?? ""
  }
}

/** The number of a question that is answered with a page, for each number. */
export const pageNumber = (number: number): number => {
  const subject = Math.floor(number / chains.length)
  return (subject - subject % 100 + 93 + subject % 7) * chains.length + number % chains.length
}

/** A whole list, which is asked of the proxy as one. */
export interface List {
  readonly target: string
  readonly pages: () => ReadonlyArray<{
    readonly records: ReadonlyArray<string>
    /** Leads to the next page. */
    readonly cursor: string | undefined
  }>
}

/** The list of a number. */
export const list = (number: number): List => {
  const { address, chain } = subjectOf(number)
  return {
    target: `/all/api/v2.2/${address}/erc20/transfers?chain=${chain}&limit=${whole.limit}`,
    pages: () =>
      listed.map((records, index) => ({
        records: records.map((text) => text.replaceAll("@address@", address)),
        cursor: whole.cursors[index + 1]
      }))
  }
}

/** How many questions are asked more than once. */
const popular = 3000

/** The part of requests that ask what nobody else asks. */
const unique = 0.05

/** The parts of popular questions, added up: the second is asked half as often as the first, and so on (Zipf). */
const weights = (() => {
  let sum = 0
  return Float64Array.from({ length: popular }, (_, rank) => sum += 1 / (rank + 1))
})()

/** A popular question's number, by chance. */
export const popularNumber = (chance: number): number => {
  const wanted = chance * (weights.at(-1) ?? 0)
  let [low, high] = [0, popular - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((weights[middle] ?? 0) > wanted) high = middle
    else low = middle + 1
  }
  return low
}

/** Numbers of questions as they come, by two chances; `turn` is a number that was never given before. */
export const pick = (chance: number, another: number, turn: number): number =>
  chance < unique ? popular + turn : popularNumber(another)
