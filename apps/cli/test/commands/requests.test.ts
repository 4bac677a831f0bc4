/** Command lines and the exact requests that they send. */
import type { Parameter } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { userAgent } from "@blockquarry/http/ApiOptions"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { kebabCase } from "../../src/text/KebabCase.ts"
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
const nft = `{"token_address":"0x88c1cfd05896cc1885ee3e58243025720a456f8b","token_id":"1"}`

interface Case {
  readonly operation: string
  readonly argv: ReadonlyArray<string>
  readonly responseBody: string
  readonly sent: SentRequest
}

const data = "https://data.test/gateway/api/v2.2"

/** Each case sets every option of its operation. Addresses are in upper case, cursors contain reserved characters. */
const cases: ReadonlyArray<Case> = [
  {
    operation: "walletTransfers",
    argv: [
      ...["wallet", "transfers", "0xBA766B2113A53A5900C11859CECA38CA9918C6B4"],
      ...["--chain", "polygon-amoy", "--limit", "25", "--order", "asc", "--cursor", "a b+c/d=&?#é%"],
      ...["--contract-addresses", "0xF124A828C0FC24A9F753C3EBB18EF93C74A67993"],
      ...["--contract-addresses", "0x88c1cfd05896cc1885ee3e58243025720a456f8b"],
      ...[
        "--from-block",
        "1000",
        "--from-date",
        "2024-01-01",
        "--to-block",
        "2000",
        "--to-date",
        "2024-02-01"
      ]
    ],
    responseBody: list,
    sent: get(
      `${data}/0xba766b2113a53a5900c11859ceca38ca9918c6b4/erc20/transfers?chain=0x13882` +
        "&contract_addresses%5B%5D=0xf124a828c0fc24a9f753c3ebb18ef93c74a67993" +
        "&contract_addresses%5B%5D=0x88c1cfd05896cc1885ee3e58243025720a456f8b" +
        "&limit=25&order=ASC&cursor=a%20b%2Bc%2Fd%3D%26%3F%23%C3%A9%25&from_block=1000&to_block=2000"
    )
  },
  {
    operation: "tokenTransfers",
    argv: [
      ...["token", "transfers", "0xf124a828c0fc24a9f753c3ebb18ef93c74a67993"],
      ...["--chain", "0xA4B1", "--limit", "1", "--order", "DESC", "--cursor", "next"],
      ...["--from-block", "0", "--from-date", "2024-01-01", "--to-block", "9007199254740991"],
      ...["--to-date", "2024-02-01"]
    ],
    responseBody: list,
    sent: get(
      `${data}/erc20/0xf124a828c0fc24a9f753c3ebb18ef93c74a67993/transfers` +
        "?chain=0xa4b1&limit=1&order=DESC&cursor=next&from_block=0&to_block=9007199254740991"
    )
  },
  {
    operation: "contractNfts",
    argv: [
      ...["nft", "list", "0x88c1cfd05896cc1885ee3e58243025720a456f8b", "--chain", "eth", "--format", "hex"],
      ...["--limit", "50", "--total-ranges", "4", "--range", "3", "--cursor", "x", "--normalize-metadata"],
      "--media-items"
    ],
    responseBody: list,
    sent: get(
      `${data}/nft/0x88c1cfd05896cc1885ee3e58243025720a456f8b?chain=0x1&format=hex&limit=50` +
        "&totalRanges=4&range=3&cursor=x&normalizeMetadata=true&media_items=true"
    )
  },
  {
    operation: "nftOwners",
    argv: [
      ...["nft", "owners", "0x88c1cfd05896cc1885ee3e58243025720a456f8b", `0x${"f".repeat(64)}`],
      ...["--chain", "base-sepolia", "--format", "decimal", "--limit", "7", "--cursor", "eyJ.-_~"],
      ...["--no-normalize-metadata", "--media-items"]
    ],
    responseBody: list,
    sent: get(
      `${data}/nft/0x88c1cfd05896cc1885ee3e58243025720a456f8b/${largest}/owners` +
        "?chain=0x14a34&format=decimal&limit=7&cursor=eyJ.-_~&normalizeMetadata=false&media_items=true"
    )
  },
  {
    operation: "walletNftTrades",
    argv: [
      ...["wallet", "nft-trades", "0xba766b2113a53a5900c11859ceca38ca9918c6b4", "--chain", "OPTIMISM"],
      ...["--from-block", "5", "--from-date", "1704067200", "--to-block", "6", "--to-date", "2024-02-01"],
      ...["--cursor", "c", "--limit", "10"]
    ],
    responseBody: list,
    sent: get(
      `${data}/wallets/0xba766b2113a53a5900c11859ceca38ca9918c6b4/nfts/trades` +
        "?chain=0xa&cursor=c&limit=10&from_block=5&to_block=6"
    )
  },
  {
    operation: "tokenOwners",
    argv: [
      ...["token", "owners", "0xf124a828c0fc24a9f753c3ebb18ef93c74a67993"],
      ...["--chain", "eth", "--limit", "3", "--cursor", "c", "--order", "desc"]
    ],
    responseBody: list,
    sent: get(
      `${data}/erc20/0xf124a828c0fc24a9f753c3ebb18ef93c74a67993/owners?chain=0x1&limit=3&cursor=c&order=DESC`
    )
  },
  {
    operation: "nftMetadata",
    argv: [
      ...["nft", "get", "0x88c1cfd05896cc1885ee3e58243025720a456f8b", largest, "--chain", "palm"],
      ...["--format", "decimal", "--normalize-metadata", "--no-media-items"]
    ],
    responseBody: nft,
    sent: get(
      `${data}/nft/0x88c1cfd05896cc1885ee3e58243025720a456f8b/${largest}` +
        "?chain=0x2a15c308d&format=decimal&normalizeMetadata=true&media_items=false"
    )
  },
  {
    operation: "tokenPrice",
    argv: [
      ...["token", "price", "0xf124a828c0fc24a9f753c3ebb18ef93c74a67993", "--chain", "moonbase"],
      ...["--include", "percent_change", "--exchange", "mm-finance", "--to-block", "22000000"]
    ],
    responseBody: `{"usdPrice":1}`,
    sent: get(
      `${data}/erc20/0xf124a828c0fc24a9f753c3ebb18ef93c74a67993/price` +
        "?chain=0x507&include=percent_change&exchange=mm%20finance&to_block=22000000"
    )
  },
  {
    operation: "updateStreamStatus",
    argv: ["stream", "set-status", "my stream № 1?#%", "paused"],
    responseBody: `{"id":"1","status":"paused"}`,
    sent: {
      method: "POST",
      url: "https://streams.test/streams/evm/my%20stream%20%E2%84%96%201%3F%23%25/status",
      headers: { ...headers, "content-type": "application/json", "content-length": "19" },
      body: `{"status":"paused"}`
    }
  },
  {
    operation: "ledgerTransaction",
    argv: ["ledger", "tx", hash.toUpperCase().replace("0X", "0x"), "--network", "mainnet"],
    responseBody: `{"hash":"${hash}"}`,
    sent: get(`https://ledger.test/v1/transactions/by_hash/${hash}`)
  },
  {
    operation: "walletChains",
    argv: [
      ...["wallet", "chains", "0xba766b2113a53a5900c11859ceca38ca9918c6b4"],
      ...["--chains", "eth,polygon-amoy", "--chains", "0xE708"]
    ],
    responseBody: `{"address":"0xba766b2113a53a5900c11859ceca38ca9918c6b4","active_chains":[]}`,
    sent: get(
      `${data}/wallets/0xba766b2113a53a5900c11859ceca38ca9918c6b4/chains` +
        "?chains%5B%5D=0x1&chains%5B%5D=0x13882&chains%5B%5D=0xe708"
    )
  }
]

/** Returns the requests of a command line that succeeds. */
const sentRequests = (argv: ReadonlyArray<string>, body: string) =>
  Effect.gen(function*() {
    const { client, sent } = respondingWith(body)
    const ran = yield* quarry(argv, { env, client })
    expect([ran.code, ran.err]).toEqual([0, ""])
    return sent
  })

describe("all options of an operation", () => {
  it("are covered", () => {
    expect(cases.map(({ operation }) => operation).sort()).toEqual(allOperations.map(({ id }) => id).sort())
    for (const { argv, operation } of cases) {
      const options = argv.map((word) => word.replace(/^--(no-)?/, "--"))
      const parameters = allOperations.find(({ id }) =>
        id === operation
      )?.parameters.filter((parameter) => parameter.in === "query") ?? []
      expect(options).toEqual(expect.arrayContaining(parameters.map(({ name }) =>
        `--${kebabCase(name)}`
      )))
    }
  })

  for (const { argv, operation, responseBody, sent } of cases) {
    it.live(`are sent by ${operation}`, () =>
      Effect.gen(function*() {
        expect(yield* sentRequests(argv, responseBody)).toEqual([sent])
      }))
  }
})

/** Values of an option, and what the request contains for them. */
const valuesOf = (
  { jsonSchema, name }: Parameter
): ReadonlyArray<readonly [words: ReadonlyArray<string>, sent: string]> => {
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

describe("each value of each option of an operation", () => {
  for (const { argv, operation: id, responseBody } of cases) {
    const { parameters } = allOperations.find((operation) => operation.id === id) ?? { parameters: [] }
    const command = argv.slice(0, argv.findIndex((word, index) => index > 0 && word.startsWith("--")) >>> 0)
    it.live(`is sent by ${id}`, () =>
      Effect.gen(function*() {
        for (const parameter of parameters.filter((parameter) => parameter.in === "query")) {
          for (const [words, value] of valuesOf(parameter)) {
            const [more, alsoSent] = companions[parameter.name] ?? [[], null]
            const { client, sent } = respondingWith(responseBody)
            // Other chains have warnings
            expect([words, (yield* quarry([...command, ...more, ...words], { env, client })).code]).toEqual([
              words,
              0
            ])
            const [request] = sent
            const wireName = parameter.jsonSchema.type === "array" ? `${parameter.name}[]` : parameter.name
            expect([words, [...new URL(request?.url ?? "").searchParams]]).toEqual([
              words,
              [...(alsoSent === null ? [] : [alsoSent]), [wireName, value]]
            ])
          }
        }
      }))
  }
})

it.live("sends each status of a stream", () =>
  Effect.gen(function*() {
    const { parameters } = allOperations.find(({ id }) => id === "updateStreamStatus") ?? { parameters: [] }
    const statuses = parameters.find(({ name }) => name === "status")?.jsonSchema["enum"]
    expect(statuses).toHaveLength(4)
    for (const status of Array.isArray(statuses) ? statuses : []) {
      const [request] = yield* sentRequests(
        ["stream", "set-status", "1", String(status)],
        `{"id":"1","status":"paused"}`
      )
      expect(request?.body).toBe(JSON.stringify({ status }))
    }
  }))

it.live("sends dates as timestamps if no block is set", () =>
  Effect.gen(function*() {
    const wallet = "0xba766b2113a53a5900c11859ceca38ca9918c6b4"
    const range = ["--from-date", "2024-01-31", "--to-date", "2024-01-31T12:00:00.5+02:00"]
    const timestamps = "from_date=2024-01-31T00%3A00%3A00.000Z&to_date=2024-01-31T10%3A00%3A00.500Z"
    expect(yield* sentRequests(["wallet", "transfers", wallet, ...range], list)).toEqual(
      [get(`${data}/${wallet}/erc20/transfers?${timestamps}`)]
    )
    expect(yield* sentRequests(["token", "transfers", wallet, ...range], list)).toEqual(
      [get(`${data}/erc20/${wallet}/transfers?${timestamps}`)]
    )
    expect(
      yield* sentRequests(
        ["wallet", "nft-trades", wallet, "--from-date", "1706659200", ...range.slice(2)],
        list
      )
    ).toEqual([get(`${data}/wallets/${wallet}/nfts/trades?${timestamps}`)])
  }))

it.live("sends --network testnet to the base URL of the testnet", () =>
  Effect.gen(function*() {
    const body = `{"hash":"${hash}"}`
    const path = `transactions/by_hash/${hash}`
    expect(yield* sentRequests(["ledger", "tx", hash, "--network", "mainnet"], body)).toEqual(
      [get(`https://ledger.test/v1/${path}`)]
    )
    expect(yield* sentRequests(["ledger", "tx", hash, "--network", "testnet"], body)).toEqual(
      [get(`https://testnet.test/v1/${path}`)]
    )
    expect(yield* sentRequests(["ledger", "tx", hash], body)).toEqual([get(`https://ledger.test/v1/${path}`)])
  }))

it.live("prefers base URLs of options to the environment", () =>
  Effect.gen(function*() {
    const argv = ["token", "price", "0xf124a828c0fc24a9f753c3ebb18ef93c74a67993"]
    expect(yield* sentRequests([...argv, "--base-url", "http://127.0.0.1:4000/api/v2.2/"], `{"usdPrice":1}`))
      .toEqual(
        [get("http://127.0.0.1:4000/api/v2.2/erc20/0xf124a828c0fc24a9f753c3ebb18ef93c74a67993/price")]
      )
  }))
