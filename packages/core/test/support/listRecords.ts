/** Records of all list operations, as an upstream sends them, and lists that change between two pages. */

const hex = (number: number, digits: number): string => `0x${number.toString(16).padStart(digits, "0")}`

export const address = hex(0xab, 40)

export interface RecordsOfList {
  readonly id: string
  readonly input: Readonly<Record<string, string>>
  /** The command that reads the list. */
  readonly command: ReadonlyArray<string>
  /** The path of the list, below `/api/v2.2`. */
  readonly path: string
  /** Returns one of many records that have an identity. Null if none has one. */
  readonly identified: ((number: number) => Readonly<Record<string, unknown>>) | null
  /** Returns one of many records without an identity. Null if all have one. */
  readonly anonymous: ((number: number) => Readonly<Record<string, unknown>>) | null
  /** A fact of the records that can be unreadable, so that the record is too. */
  readonly fact: string
}

const transfer = (number: number) => ({
  transaction_hash: hex(number + 1, 64),
  // Newest first
  block_number: 1_000_000 - number,
  value: String(number)
})

const nft = { token_address: hex(0xcd, 40), contract_type: "ERC1155" }

export const recordsOfLists: ReadonlyArray<RecordsOfList> = [
  {
    id: "walletTransfers",
    input: { address },
    command: ["wallet", "transfers", address],
    path: `/${address}/erc20/transfers`,
    // Transfers of one transaction have different log indexes
    identified: (number) => ({ ...transfer(number), transaction_hash: hex(1, 64), log_index: number }),
    anonymous: transfer,
    fact: "block_number"
  },
  {
    id: "tokenTransfers",
    input: { address },
    command: ["token", "transfers", address],
    path: `/erc20/${address}/transfers`,
    identified: (number) => ({ ...transfer(number), log_index: 7 }),
    anonymous: (number) => ({ ...transfer(number), log_index: null }),
    fact: "value"
  },
  {
    id: "contractNfts",
    input: { address },
    command: ["nft", "list", address],
    path: `/nft/${address}`,
    identified: (number) => ({ ...nft, token_id: String(number), owner_of: address }),
    anonymous: null,
    fact: "token_id"
  },
  {
    id: "nftOwners",
    input: { address, token_id: "9" },
    command: ["nft", "owners", address, "9"],
    path: `/nft/${address}/9/owners`,
    identified: (number) => ({ ...nft, token_id: "9", owner_of: hex(number + 1, 40) }),
    anonymous: (number) => ({ ...nft, token_id: "9", amount: String(number) }),
    fact: "amount"
  },
  {
    id: "tokenOwners",
    input: { token_address: address },
    command: ["token", "owners", address],
    path: `/erc20/${address}/owners`,
    identified: (number) => ({ owner_address: hex(number + 1, 40), balance: "5" }),
    anonymous: null,
    fact: "balance"
  },
  {
    id: "walletNftTrades",
    input: { address },
    command: ["wallet", "nft-trades", address],
    path: `/wallets/${address}/nfts/trades`,
    identified: null,
    anonymous: (number) => ({ ...transfer(number), value: undefined, token_ids: ["1", "1"], price: "5" }),
    fact: "price"
  }
]

/** Returns the page after a cursor: of pages whose cursors are new, also if their records are not. */
export const pageOf = (
  pages: ReadonlyArray<ReadonlyArray<unknown>>,
  cursor: string | null
): { readonly cursor: string | null; readonly result: ReadonlyArray<unknown> } => {
  const number = Number(cursor?.slice("after-".length) ?? 0)
  return { cursor: number < pages.length - 1 ? `after-${number + 1}` : null, result: pages[number] ?? [] }
}

/**
 * Returns the pages, of at most `size` numbers, of a list with the numbers below `length`, to which an upstream adds so many new
 * ones at the beginning before each further page. The new ones are negative.
 */
export const movingPages = (
  length: number,
  size: number,
  added: ReadonlyArray<number>
): ReadonlyArray<ReadonlyArray<number>> => {
  const pages: Array<ReadonlyArray<number>> = []
  let list = Array.from({ length }, (_, number) => number)
  for (let page = 0; page * size < Math.max(1, list.length); page++) {
    if (page > 0) {
      const count = added[page - 1] ?? 0
      list = [...Array.from({ length: count }, (_, number) => -1 - page * 100 - number), ...list]
    }
    pages.push(list.slice(page * size, (page + 1) * size))
  }
  return pages
}
