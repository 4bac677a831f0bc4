/** Command lines and the exact requests that they send. */
import type { Parameter } from "@blockquarry/core/Operation"
import { allOperations, type OperationId, operationIds } from "@blockquarry/core/Operations"
import { userAgent } from "@blockquarry/http/ApiOptions"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { kebabCase } from "../../src/text/KebabCase.ts"
import { words } from "../golden/cases.ts"
import { quarry } from "../support/quarry.ts"
import { respondingWith, type SentRequest } from "../support/stubClient.ts"

const env = {
  QUARRY_API_KEY: "key+of/mine==",
  QUARRY_BASE_URL: "https://data.test/gateway/",
  QUARRY_STREAMS_URL: "https://streams.test",
  QUARRY_LEDGER_URL: "https://ledger.test/v1/",
  QUARRY_LEDGER_TESTNET_URL: "https://testnet.test/v1"
}

const headers = {
  "accept": "application/json",
  "user-agent": `quarry ${userAgent}`,
  "x-api-key": "key+of/mine=="
}

const get = (url: string): SentRequest => ({ method: "GET", url, headers, body: null })

const hash = "0x15cc3458255c309c1d49bf3f987d905513b1508d7d213a2b8afad84ceb69d042"
/** 2^256−1 */
const largest = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
const list = `{"result":[]}`

const data = "https://data.test/gateway/api/v2.2"
const wallet = "0xba766b2113a53a5900c11859ceca38ca9918c6b4"
const token = "0xf124a828c0fc24a9f753c3ebb18ef93c74a67993"
const collection = "0x88c1cfd05896cc1885ee3e58243025720a456f8b"
const dates = "--from-date 2024-01-01 --to-date 2024-02-01"

/** Each case sets every option of its operation. Addresses are in upper case, cursors contain reserved characters. */
const cases: ReadonlyArray<
  readonly [operation: OperationId, line: string, responseBody: string, sent: SentRequest]
> = [
  [
    "walletTransfers",
    "wallet transfers 0xBA766B2113A53A5900C11859CECA38CA9918C6B4 --chain polygon-amoy --limit 25 --order asc " +
    `--cursor 'a b+c/d=&?#é%' --from-block 1000 --to-block 2000 ${dates} ` +
    `--contract-addresses 0xF124A828C0FC24A9F753C3EBB18EF93C74A67993 --contract-addresses ${collection}`,
    list,
    get(
      `${data}/${wallet}/erc20/transfers?chain=0x13882&contract_addresses%5B%5D=${token}` +
        `&contract_addresses%5B%5D=${collection}&limit=25&order=ASC` +
        "&cursor=a%20b%2Bc%2Fd%3D%26%3F%23%C3%A9%25&from_block=1000&to_block=2000"
    )
  ],
  [
    "walletChains",
    `wallet chains ${wallet} --chains eth,polygon-amoy --chains 0xE708`,
    `{"address":"${wallet}","active_chains":[]}`,
    get(
      `${data}/wallets/${wallet}/chains?chains%5B%5D=0x1&chains%5B%5D=0x13882&chains%5B%5D=0xe708`
    )
  ],
  [
    "walletNftTrades",
    `wallet nft-trades ${wallet} --chain OPTIMISM --from-block 5 --from-date 1704067200 --to-block 6 ` +
    "--to-date 2024-02-01 --cursor c --limit 10",
    list,
    get(`${data}/wallets/${wallet}/nfts/trades?chain=0xa&cursor=c&limit=10&from_block=5&to_block=6`)
  ],
  [
    "tokenPrice",
    `token price ${token} --chain moonbase --include percent_change --exchange mm-finance --to-block 22000000`,
    `{"usdPrice":1}`,
    get(
      `${data}/erc20/${token}/price?chain=0x507&include=percent_change&exchange=mm%20finance&to_block=22000000`
    )
  ],
  [
    "tokenTransfers",
    `token transfers ${token} --chain 0xA4B1 --limit 1 --order DESC --cursor next --from-block 0 ` +
    `--to-block 9007199254740991 ${dates}`,
    list,
    get(
      `${data}/erc20/${token}/transfers` +
        "?chain=0xa4b1&limit=1&order=DESC&cursor=next&from_block=0&to_block=9007199254740991"
    )
  ],
  [
    "tokenOwners",
    `token owners ${token} --chain eth --limit 3 --cursor c --order desc`,
    list,
    get(`${data}/erc20/${token}/owners?chain=0x1&limit=3&cursor=c&order=DESC`)
  ],
  [
    "contractNfts",
    `nft list ${collection} --chain eth --format hex --limit 50 --total-ranges 4 --range 3 --cursor x ` +
    "--normalize-metadata --media-items",
    list,
    get(
      `${data}/nft/${collection}?chain=0x1&format=hex&limit=50&totalRanges=4&range=3&cursor=x` +
        "&normalizeMetadata=true&media_items=true"
    )
  ],
  [
    "nftMetadata",
    `nft get ${collection} ${largest} --chain palm --format decimal --normalize-metadata --no-media-items`,
    `{"token_address":"${collection}","token_id":"1"}`,
    get(
      `${data}/nft/${collection}/${largest}` +
        "?chain=0x2a15c308d&format=decimal&normalizeMetadata=true&media_items=false"
    )
  ],
  [
    "nftOwners",
    `nft owners ${collection} 0x${"f".repeat(64)} --chain base-sepolia --format decimal --limit 7 ` +
    "--cursor eyJ.-_~ --no-normalize-metadata --media-items",
    list,
    get(
      `${data}/nft/${collection}/${largest}/owners` +
        "?chain=0x14a34&format=decimal&limit=7&cursor=eyJ.-_~&normalizeMetadata=false&media_items=true"
    )
  ],
  [
    "updateStreamStatus",
    "stream set-status 'my stream № 1?#%' paused",
    `{"id":"1","status":"paused"}`,
    {
      method: "POST",
      url: "https://streams.test/streams/evm/my%20stream%20%E2%84%96%201%3F%23%25/status",
      headers: { ...headers, "content-type": "application/json", "content-length": "19" },
      body: `{"status":"paused"}`
    }
  ],
  [
    "ledgerTransaction",
    `ledger tx ${hash.toUpperCase().replace("0X", "0x")} --network mainnet`,
    `{"hash":"${hash}"}`,
    get(`https://ledger.test/v1/transactions/by_hash/${hash}`)
  ]
]

/** Returns the requests of a command line that succeeds. */
const sentRequests = (line: string, body: string) =>
  Effect.gen(function*() {
    const { client, sent } = respondingWith(body)
    const ran = yield* quarry(words(line), { env, client })
    expect([ran.code, ran.err]).toEqual([0, ""])
    return sent
  })

const parametersOf = (id: OperationId): ReadonlyArray<Parameter> =>
  allOperations.find((operation) => operation.id === id)?.parameters ?? []

const queryOf = (id: OperationId) => parametersOf(id).filter((parameter) => parameter.in === "query")

describe("all options of an operation", () => {
  it("are covered", () => {
    expect(cases.map(([operation]) => operation)).toEqual(operationIds)
    for (const [operation, line] of cases) {
      const options = line.replaceAll("--no-", "--").split(" ")
      expect(options).toEqual(
        expect.arrayContaining(queryOf(operation).map(({ name }) => `--${kebabCase(name)}`))
      )
    }
  })

  it.live.each(cases)("are sent by %s", ([, line, responseBody, sent]) =>
    Effect.gen(function*() {
      expect(yield* sentRequests(line, responseBody)).toEqual([sent])
    }))
})

/** Values of an option, and what the request contains for them. */
const valuesOf = (
  { jsonSchema, name }: Parameter
): ReadonlyArray<readonly [option: ReadonlyArray<string>, sent: string]> => {
  const { items, type } = jsonSchema
  const schema = Predicate.isRecord(items) ? items : jsonSchema
  const strings = (value: unknown) => Array.isArray(value) ? value.filter(Predicate.isString) : []
  const listed = [...strings(schema["enum"]), ...strings(schema["examples"])]
  const chainId = (value: string) => listed[listed.indexOf(value) + 1] ?? ""
  const option = `--${kebabCase(name)}`
  if (/chain/.test(name)) {
    return listed.filter((value) => !value.startsWith("0x")).flatMap((value) => [
      [[option, value.replaceAll(" ", "-")], chainId(value)],
      [[option, value.toUpperCase()], chainId(value)],
      [[option, chainId(value)], chainId(value)]
    ])
  }
  if (type === "boolean") return [[[option], "true"], [[`--no-${kebabCase(name)}`], "false"]]
  if (listed.length > 0) {
    return listed.flatMap((value) => [
      [[option, value], value],
      [[option, value.toLowerCase().replaceAll(" ", "-")], value]
    ])
  }
  if (type === "integer") return ["1", "100"].map((value) => [[option, value], value])
  if (/date/.test(name)) {
    return [
      [[option, "2024-01-31"], "2024-01-31T00:00:00.000Z"],
      [[option, "2024-01-31T12:00:00+02:00"], "2024-01-31T10:00:00.000Z"]
    ]
  }
  return /address/.test(name)
    ? [[[option, "0xF124A828C0FC24A9F753C3EBB18EF93C74A67993"], "0xf124a828c0fc24a9f753c3ebb18ef93c74a67993"]]
    : [[[option, "a b+c/d=&?#é%"], "a b+c/d=&?#é%"], [[`${option}=-x`], "-x"]]
}

/** The number of a subrange requires the number of subranges. */
const companions: Readonly<
  Record<string, readonly [option: ReadonlyArray<string>, sent: readonly [string, string]]>
> = {
  range: [["--total-ranges", "200"], ["totalRanges", "200"]]
}

it.live.each(cases)(
  "sends each value of each option of %s",
  ([id, line, responseBody]) =>
    Effect.gen(function*() {
      const [command = ""] = line.split(" --")
      for (const parameter of queryOf(id)) {
        for (const [option, value] of valuesOf(parameter)) {
          const [more, alsoSent] = companions[parameter.name] ?? [[], null]
          const { client, sent } = respondingWith(responseBody)
          // Other chains have warnings
          const { code } = yield* quarry([...words(command), ...more, ...option], { env, client })
          expect([option, code]).toEqual([option, 0])
          const [request] = sent
          const wireName = parameter.jsonSchema.type === "array" ? `${parameter.name}[]` : parameter.name
          expect([option, [...new URL(request?.url ?? "").searchParams]]).toEqual([
            option,
            [...(alsoSent === null ? [] : [alsoSent]), [wireName, value]]
          ])
        }
      }
    })
)

it.live("sends each status of a stream", () =>
  Effect.gen(function*() {
    const statuses = parametersOf("updateStreamStatus").find(({ name }) => name === "status")
      ?.jsonSchema["enum"]
    expect(statuses).toHaveLength(4)
    for (const status of Array.isArray(statuses) ? statuses : []) {
      const [request] = yield* sentRequests(`stream set-status 1 ${status}`, `{"id":"1","status":"paused"}`)
      expect(request?.body).toBe(JSON.stringify({ status }))
    }
  }))

const times = "from_date=2024-01-31T00%3A00%3A00.000Z&to_date=2024-01-31T10%3A00%3A00.500Z"
const until = "--to-date 2024-01-31T12:00:00.5+02:00"

it.live.each(
  [
    // Dates are timestamps if no block is set
    [
      `wallet transfers ${wallet} --from-date 2024-01-31 ${until}`,
      list,
      `${data}/${wallet}/erc20/transfers?${times}`
    ],
    [
      `token transfers ${token} --from-date 2024-01-31 ${until}`,
      list,
      `${data}/erc20/${token}/transfers?${times}`
    ],
    [
      `wallet nft-trades ${wallet} --from-date 1706659200 ${until}`,
      list,
      `${data}/wallets/${wallet}/nfts/trades?${times}`
    ],
    // The network has its own base URL, and options take precedence over the environment
    [`ledger tx ${hash}`, `{"hash":"${hash}"}`, `https://ledger.test/v1/transactions/by_hash/${hash}`],
    [
      `ledger tx ${hash} --network testnet`,
      `{"hash":"${hash}"}`,
      `https://testnet.test/v1/transactions/by_hash/${hash}`
    ],
    [
      `token price ${token} --base-url http://127.0.0.1:4000/api/v2.2/`,
      `{"usdPrice":1}`,
      `http://127.0.0.1:4000/api/v2.2/erc20/${token}/price`
    ]
  ] as const
)("quarry %s sends one request", ([line, responseBody, url]) =>
  Effect.gen(function*() {
    expect(yield* sentRequests(line, responseBody)).toEqual([get(url)])
  }))
