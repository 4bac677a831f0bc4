/** The response documents of the benchmarks. They are the same in every run. */
import { createHash } from "node:crypto"

/** The format of amounts: unsafe integers, which `JSON.parse` rounds, or strings of digits. */
export type AmountEncoding = "integers" | "strings"

export const wallet = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"

/** Number of records per page. */
export const pageSize = 100

const hex = (seed: string, length: number): string =>
  `0x${createHash("sha256").update(seed).digest("hex").slice(0, length)}`

const transferRecord = (index: number, amount: string): string =>
  JSON.stringify({
    token_name: `Quarry Dollar ${index}`,
    token_symbol: `QUSD${index}`,
    token_logo: `https://logos.example/${index}.png`,
    token_decimals: "18",
    transaction_hash: hex(`transaction ${index}`, 64),
    address: hex(`token ${index}`, 40),
    block_timestamp: `2024-03-05T06:07:${10 + index % 50}.000Z`,
    block_number: 19_366_012 - index,
    block_hash: hex(`block ${index}`, 64),
    to_address: wallet,
    to_address_entity: "Stone Exchange",
    to_address_entity_logo: "https://logos.example/entities/stone.png",
    to_address_label: `Stone Exchange: Hot ${index}`,
    from_address: hex(`from ${index}`, 40),
    from_address_entity: null,
    from_address_entity_logo: null,
    from_address_label: `Pebble Pay: Treasury ${index}`,
    value: "@",
    transaction_index: index,
    log_index: 2 * index + 1,
    possible_spam: false,
    verified_collection: index % 3 === 0
  }).replace("\"@\"", amount)

/** 18 to 24 digits, as for tokens with 18 decimals. */
const exampleAmount = (index: number): string =>
  String(BigInt(hex(`amount ${index}`, 20))).slice(0, 18 + index % 7).padEnd(18, "5")

/** Returns the JSON of the records of a page. */
export const transferRecords = (amounts: AmountEncoding, length: number, from = 0): ReadonlyArray<string> =>
  Array.from({ length }, (_, offset) => {
    const index = from + offset
    return transferRecord(index, amounts === "integers" ? exampleAmount(index) : `"${exampleAmount(index)}"`)
  })

/** Returns the JSON of a page of transfers. `from` is the number of records on previous pages. */
export const transfersPage = (
  amounts: AmountEncoding,
  cursor: string | null,
  length = pageSize,
  from = 0
): string => {
  const records = transferRecords(amounts, length, from)
  return `{"total":1203,"page":0,"page_size":${length},"cursor":${
    JSON.stringify(cursor)
  },"result":[${records}]}`
}

/**
 * Returns the JSON of 64 pages with different records. Engines learn the strings and shapes of a page that repeats, and
 * parse it in less time than those of a real list.
 */
export const distinctPages = (amounts: AmountEncoding, cursor: string): ReadonlyArray<string> =>
  Array.from({ length: 64 }, (_, page) => transfersPage(amounts, cursor, pageSize, page * pageSize))

/** Returns a function that returns one text after the other, and then the first again. */
export const rotate = (texts: ReadonlyArray<string>): () => string => {
  let next = 0
  return () => texts[next++ % texts.length] ?? ""
}

/** Returns the JSON of a token price. */
export const priceDocument = (token: string, symbol: string): string =>
  JSON.stringify({
    tokenName: "Granite",
    tokenSymbol: symbol,
    tokenLogo: "https://logos.example/grn.png",
    tokenDecimals: "18",
    nativePrice: {
      value: "13753134139373781549",
      decimals: 18,
      name: "Ether",
      symbol: "ETH",
      address: hex("native", 40)
    },
    usdPrice: 7.115000000000001,
    usdPriceFormatted: "7.115",
    "24hrPercentChange": "-0.8842730258590583",
    exchangeAddress: hex("exchange", 40),
    exchangeName: "Stone Swap v3",
    tokenAddress: token,
    toBlock: "19366012",
    possibleSpam: "false",
    verifiedContract: true,
    pairAddress: hex("pair", 40),
    pairTotalLiquidityUsd: "123456.78"
  })

export const examplePrice: string = priceDocument(hex("token", 40), "GRN")

/** A path of the proxy and the body that its upstream returns: 2 transfers, 1.9 KB. */
export const smallDocument = {
  path: "/api/v2.2/0x2222222222222222222222222222222222222222/erc20/transfers",
  body: transfersPage("strings", "next", 2)
}

/** The same with a whole page, 91 KB. */
export const pageDocument = {
  path: "/api/v2.2/0x9999999999999999999999999999999999999999/erc20/transfers",
  body: transfersPage("strings", "next")
}

/** The parts of a page that subjects without typed models read. */
export interface ParsedPage {
  readonly cursor: string | null
  readonly result: ReadonlyArray<unknown>
}

/** Checks for the fields of a page, not for their types. */
export const isParsedPage = (document: unknown): document is ParsedPage =>
  typeof document === "object" && document !== null && "cursor" in document && "result" in document &&
  Array.isArray(document.result)

/** Returns the number of records in a document of this module. */
export const countRecords = (document: unknown): number => isParsedPage(document) ? document.result.length : 1

/** Formats a size, for example "91 KB". */
export const formatSize = (text: string): string =>
  `${(text.length / 1000).toFixed(text.length < 10_000 ? 1 : 0)} KB`
