/** What is asked in a soak: few questions often, many seldom, some once; and the one right answer to each. */
import { priceOf, transfers, wallet } from "../Documents.ts"

export interface Question {
  /** Path and query. */
  readonly target: string
  /** The right answer, byte for byte. */
  readonly answer: () => string
}

/** What is behind the proxy fills these in, by the same rule as `answer`. */
const price = priceOf("@address@", "@chain@")

const page = (length: number): string =>
  transfers("strings", "@chain@", length).replaceAll(wallet, "@address@")

const short = { limit: 10, text: page(10) }

const long = { limit: 100, text: page(100) }

/** Texts by what is asked; the service that fails says what the marks in them mean. */
export const templates: Readonly<Record<string, string>> = {
  "/api/v2.2/erc20/:address/price": price,
  [`/api/v2.2/:address/erc20/transfers?limit=${short.limit}`]: short.text,
  [`/api/v2.2/:address/erc20/transfers?limit=${long.limit}`]: long.text
}

/** As the service knows them: whatever spelling a client uses, this is what the service is asked. */
const chains = ["0x1", "0x89", "0x2105"]

/**
 * The question of a number: of a hundred tokens and wallets 93 are asked for a price, five for a short page and two
 * for a long one. Three numbers in a row are the same but for the chain.
 */
export const question = (number: number): Question => {
  const subject = Math.floor(number / chains.length)
  const address = `0x50a4${subject.toString(16).padStart(36, "0")}`
  const chain = chains[number % chains.length] ?? ""
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

/** Questions as they come, by two chances; `turn` is a number that was never given before. */
export const pick = (chance: number, another: number, turn: number): Question =>
  question(chance < unique ? popular + turn : popularNumber(another))
