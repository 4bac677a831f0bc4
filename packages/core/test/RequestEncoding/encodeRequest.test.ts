/** The encoded request of every operation with every parameter. */
import { maxUint256 } from "@blockquarry/core/Amount"
import {
  allOperations,
  contractNfts,
  ledgerTransaction,
  nftMetadata,
  nftOwners,
  tokenOwners,
  tokenPrice,
  tokenTransfers,
  updateStreamStatus,
  walletChains,
  walletNftTrades,
  walletTransfers
} from "@blockquarry/core/Operations"
import { type EncodedRequest, formatQuery } from "@blockquarry/core/RequestEncoding"
import { PathSegment } from "@blockquarry/core/WellFormedText"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { encodedRequest, inputIssues } from "../support/operationInputs.ts"

const a = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
const b = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"
const hash = "0x88DF016429689C079F3B2F6AD39FA052532C56795B733DA78A91EBE6A713944B"

const [lowerA, lowerB] = [a.toLowerCase(), b.toLowerCase()]

/** A request with its query as text. Laws about cursors and IDs below check how text is escaped. */
const summary = ({ body, method, path, query }: EncodedRequest) =>
  `${method} ${path}${
    query.map(([name, value], index) => `${index === 0 ? "?" : "&"}${name}=${value}`).join("")
  }${body === null ? "" : ` ${body}`}`

const nftOptions = { normalizeMetadata: true, media_items: false }

const requests: ReadonlyArray<readonly [id: string, EncodedRequest, text: string]> = [
  [
    "walletTransfers",
    encodedRequest(walletTransfers, {
      address: a,
      chain: "polygon amoy",
      contract_addresses: [b, a],
      from_block: 1,
      to_block: 19000000,
      limit: 100,
      order: "ASC",
      cursor: "eyJ.abc-_=="
    }),
    `GET /${lowerA}/erc20/transfers?chain=0x13882&contract_addresses[]=${lowerB}&contract_addresses[]=${lowerA}` +
    "&limit=100&order=ASC&cursor=eyJ.abc-_==&from_block=1&to_block=19000000"
  ],
  [
    "walletTransfers",
    encodedRequest(walletTransfers, {
      address: a,
      from_date: "Jan 1 2024",
      to_date: new Date("2024-02-01T12:00:00Z")
    }),
    `GET /${lowerA}/erc20/transfers?from_date=2024-01-01T00:00:00.000Z&to_date=2024-02-01T12:00:00.000Z`
  ],
  [
    "walletTransfers",
    encodedRequest(walletTransfers, { address: a, chain: undefined, contract_addresses: [] }),
    `GET /${lowerA}/erc20/transfers`
  ],
  [
    "tokenTransfers",
    encodedRequest(tokenTransfers, { address: a, chain: "0x1", from_block: 0, limit: 1, order: "DESC" }),
    `GET /erc20/${lowerA}/transfers?chain=0x1&limit=1&order=DESC&from_block=0`
  ],
  [
    "tokenTransfers",
    encodedRequest(tokenTransfers, {
      address: a,
      cursor: "c",
      from_date: "2024-01-01T05:30+05:30",
      to_block: 5
    }),
    `GET /erc20/${lowerA}/transfers?cursor=c&from_date=2024-01-01T00:00:00.000Z&to_block=5`
  ],
  [
    "tokenTransfers",
    encodedRequest(tokenTransfers, { address: a, to_date: "2024-01-02" }),
    `GET /erc20/${lowerA}/transfers?to_date=2024-01-02T00:00:00.000Z`
  ],
  [
    "contractNfts",
    encodedRequest(contractNfts, {
      address: a,
      chain: "base sepolia",
      format: "hex",
      limit: 100,
      totalRanges: 4,
      range: 1,
      cursor: "c",
      ...nftOptions
    }),
    `GET /nft/${lowerA}?chain=0x14a34&format=hex&limit=100&totalRanges=4&range=1&cursor=c` +
    "&normalizeMetadata=true&media_items=false"
  ],
  [
    "nftOwners",
    encodedRequest(nftOwners, {
      address: a,
      token_id: "0xff",
      chain: "moonbase",
      format: "decimal",
      limit: 7,
      cursor: "c",
      ...nftOptions
    }),
    `GET /nft/${lowerA}/255/owners?chain=0x507&format=decimal&limit=7&cursor=c` +
    "&normalizeMetadata=true&media_items=false"
  ],
  [
    "nftMetadata",
    encodedRequest(nftMetadata, {
      address: a,
      token_id: maxUint256,
      chain: "palm",
      format: "hex",
      ...nftOptions
    }),
    `GET /nft/${lowerA}/${maxUint256}?chain=0x2a15c308d&format=hex&normalizeMetadata=true&media_items=false`
  ],
  [
    "walletNftTrades",
    encodedRequest(walletNftTrades, { address: a, chain: "optimism", from_block: 1, to_block: 2, limit: 3 }),
    `GET /wallets/${lowerA}/nfts/trades?chain=0xa&limit=3&from_block=1&to_block=2`
  ],
  [
    "walletNftTrades",
    encodedRequest(walletNftTrades, {
      address: a,
      cursor: "c",
      from_date: 1704067200,
      to_date: "2024-01-02"
    }),
    `GET /wallets/${lowerA}/nfts/trades?cursor=c&from_date=2024-01-01T00:00:00.000Z&to_date=2024-01-02T00:00:00.000Z`
  ],
  [
    "tokenOwners",
    encodedRequest(tokenOwners, { token_address: a, chain: "eth", limit: 9, cursor: "c", order: "ASC" }),
    `GET /erc20/${lowerA}/owners?chain=0x1&limit=9&cursor=c&order=ASC`
  ],
  [
    "tokenPrice",
    encodedRequest(tokenPrice, {
      address: a,
      chain: "fantom",
      include: "percent_change",
      exchange: "mm finance",
      to_block: 19000000
    }),
    `GET /erc20/${lowerA}/price?chain=0xfa&include=percent_change&exchange=mm finance&to_block=19000000`
  ],
  [
    "walletChains",
    encodedRequest(walletChains, { address: a, chains: ["eth", "0x89", "gnosis testnet"] }),
    `GET /wallets/${lowerA}/chains?chains[]=0x1&chains[]=0x89&chains[]=0x27d8`
  ],
  [
    "updateStreamStatus",
    encodedRequest(updateStreamStatus, { id: "4a1f..?x#y", status: "paused" }),
    "POST /streams/evm/4a1f..%3Fx%23y/status {\"status\":\"paused\"}"
  ],
  [
    "ledgerTransaction",
    encodedRequest(ledgerTransaction, { txn_hash: hash }),
    `GET /transactions/by_hash/${hash.toLowerCase()}`
  ]
]

describe("the request of", () => {
  it.each(requests)("%s", (_, request, expected) => {
    expect(summary(request)).toBe(expected)
  })

  it("every operation is encoded with every parameter", () => {
    for (const { id, parameters } of allOperations) {
      const encoded = requests.filter(([name]) => name === id).map(([, request]) => request)
      const named = new Set(
        encoded.flatMap(({ body, query }) => [
          ...query.map(([name]) => name.replace("[]", "")),
          ...Object.keys(body === null ? {} : JSON.parse(body))
        ])
      )
      const expected = parameters.filter((parameter) => parameter.in !== "path").map(({ name }) => name)
      expect([id, [...named].sort()]).toEqual([id, [...expected].sort()])
      expect(encoded.length).toBeGreaterThan(0)
    }
  })
})

describe("a parameter with several values", () => {
  it.each(
    [
      ["brackets", "chains%5B%5D=0x1&chains%5B%5D=0x89"],
      ["indices", "chains%5B0%5D=0x1&chains%5B1%5D=0x89"],
      ["repeat", "chains=0x1&chains=0x89"],
      ["comma", "chains=0x1%2C0x89"]
    ] as const
  )("is encoded in the format %s as %s", (format, query) => {
    const request = encodedRequest(walletChains, { address: a, chains: ["eth", "polygon"] }, format)
    expect(formatQuery(request.query)).toBe(query)
  })

  it("remains an array if it has one value", () => {
    expect(formatQuery(encodedRequest(walletChains, { address: a, chains: ["eth"] }).query)).toBe(
      "chains%5B%5D=0x1"
    )
  })
})

describe("equivalent inputs", () => {
  it("are encoded as equal requests", () => {
    const canonical = encodedRequest(walletTransfers, {
      address: a.toLowerCase(),
      chain: "eth",
      contract_addresses: [b],
      from_block: 1
    })
    const inputs = [
      { address: a, chain: "0x1" as const, contract_addresses: [b.toUpperCase()], from_block: 1 },
      { from_block: 1, contract_addresses: [b], chain: "eth" as const, address: a.toUpperCase(), cursor: "" },
      { address: a, chain: "eth" as const, contract_addresses: [b], from_block: 1, to_date: undefined }
    ]
    for (const input of inputs) expect(encodedRequest(walletTransfers, input)).toEqual(canonical)
  })
})

const anyText = FastCheck.string({ unit: "binary", minLength: 1, maxLength: 40 })

describe("a cursor", () => {
  it("of any characters survives a URL", () => {
    FastCheck.assert(
      FastCheck.property(anyText, (cursor) => {
        const { query } = encodedRequest(tokenOwners, { token_address: a, cursor })
        const text = formatQuery(query)
        expect(text).toMatch(/^[!-~]*$/)
        expect(new URL(`http://host/x?${text}`).searchParams.get("cursor")).toBe(cursor)
        expect([...new URLSearchParams(text)]).toEqual([["cursor", cursor]])
      })
    )
  })

  it("with a lone surrogate is rejected, because a URL cannot encode it", () => {
    expect(inputIssues(tokenOwners, { token_address: a, cursor: "abc\ud83d" }).map(([name]) => name)).toEqual(
      [
        "cursor"
      ]
    )
  })
})

describe("an ID in a path", () => {
  it.each([
    ["?x=1", "%3Fx%3D1"],
    ["#top", "%23top"],
    ["a b", "a%20b"],
    ["...", "..."],
    ["100%", "100%25"],
    ["日本", "%E6%97%A5%E6%9C%AC"],
    ["\n", "%0A"],
    ["@host:80", "%40host%3A80"]
  ])("%j is encoded as one segment, %s", (id, segment) => {
    const { path } = encodedRequest(updateStreamStatus, { id, status: "active" })
    expect(path).toBe(`/streams/evm/${segment}/status`)
    expect(new URL(path, "http://host").href).toBe(`http://host/streams/evm/${segment}/status`)
  })

  it.each([
    "",
    ".",
    "..",
    "a/b",
    "../../admin",
    "..%2f..",
    "a%2Fb",
    "a\\b",
    "%2e%2e",
    "\ud800",
    "a\udc00",
    null,
    5,
    ["a"]
  ])(
    "%j is rejected before a request is sent",
    (id) => {
      expect(inputIssues(updateStreamStatus, { id, status: "active" }).map(([name]) => name)).toEqual(["id"])
    }
  )

  it("of any characters does not change host, path structure and query", () => {
    FastCheck.assert(
      FastCheck.property(anyText.filter(Schema.is(PathSegment)), (id) => {
        const { path } = encodedRequest(updateStreamStatus, { id, status: "active" })
        const url = new URL(path, "http://host")
        expect(url.host + url.search + url.hash).toBe("host")
        const segments = url.pathname.split("/")
        expect(segments.map(decodeURIComponent)).toEqual(["", "streams", "evm", id, "status"])
      })
    )
  })
})
