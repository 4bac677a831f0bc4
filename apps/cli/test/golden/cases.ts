/**
 * Inputs of the golden records: command lines and their environment. The results are in `records/`.
 *
 * Names in braces are values of the sandbox, for example `{wallet}`. Quotes enclose a word with spaces.
 */
import type * as Sandbox from "@blockquarry/sandbox/Sandbox"
import { exampleValues } from "../../src/help/Help.ts"
import type { ProcessResult } from "../support/process.ts"

/** A response of a scripted upstream. The last response is repeated. */
interface Scripted {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

export interface Case {
  readonly line: string
  /** Title, if the line does not show the purpose. */
  readonly about?: string
  readonly env?: Readonly<Record<string, string>>
  /** Whether the environment has the API key and base URLs of the sandbox. */
  readonly connected?: boolean
  readonly sandbox?: Omit<Sandbox.SandboxOptions, "ledger" | "seed">
  readonly script?: ReadonlyArray<Scripted>
  /** Whether the client fails with a defect that contains the request. */
  readonly broken?: boolean
  /** Whether writes to stdout fail because the disk is full. */
  readonly full?: boolean
  /** Width of the terminal. Default: stdout and stderr are not a terminal. */
  readonly terminal?: number
  readonly isColored?: boolean
  /** Number of writes after which the reader closes stdout. */
  readonly closedAfter?: number
  /** Number of writes after which the command is interrupted. */
  readonly interruptedAfter?: number
  /** Whether the record has the requests that are sent. */
  readonly showsRequests?: boolean
}

/** What a case prints, and the requests that it sends. */
export interface Result extends ProcessResult {
  readonly requests: ReadonlyArray<string>
}

/** Lines that share a home directory and a project. Those with a `!` are run by a shell, in the project. */
export interface Session extends Omit<Case, "line"> {
  readonly lines: ReadonlyArray<string>
  /** The user file, and the project file. */
  readonly user?: string
  readonly project?: string
  /** Whether the text on stdin is typed at a terminal. */
  readonly isTyped?: boolean
  /** Whether the sandbox is reached over the network. */
  readonly isServed?: boolean
}

/** Values of the sandbox with seed 1. */
const sandboxValues: Readonly<Record<string, string>> = {
  ...exampleValues,
  busyWallet: "0xf0c02a404db8066dd124911823e9a3f857826472",
  emptyWallet: "0xafb6600bd209893cb2252298463303168fa6c9ca",
  unpricedToken: "0xa02762ddb88bf92ce772e67c6b7351e35888a050",
  polygonToken: "0xff090b1bf339762131d479a58241b2e4482ebcf4",
  collection1155: "0xba3ab3fa77425233bc4d51a1953c948fc3436387",
  tokenId1155: "27681895463955313618714027297701641155802086373277994736524238203787906886130",
  pending: "0x8a87e59027022600eab2c8f0642add9b486b6807a228aa0971f9b64ecdd139be",
  unknownAddress: "0x00000000000000000000000000000000000000aa"
}

const expand = (text: string): string =>
  text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => sandboxValues[name] ?? placeholder)

/** Splits a text at spaces. */
export const words = (text: string): ReadonlyArray<string> =>
  [...expand(text).matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ""))

/** Reads a line as a shell does: variables, arguments and, after `<<<`, the text on stdin. */
export const parse = (line: string) => {
  const [command = "", stdin] = line.split(" <<< ")
  const all = words(command)
  const [, variables = ""] = variablesOf(command)
  const count = words(variables).length
  return {
    argv: all.slice(count),
    env: Object.fromEntries(all.slice(0, count).map((word) => /^(\w+)=(.*)$/s.exec(word)?.slice(1) ?? [])),
    stdin: stdin === undefined ? undefined : `${words(stdin).join(" ")}\n`
  }
}

const variablesOf = (line: string) => /^((?:[A-Z_]+=(?:'[^']*'|[^\s'])* )*)(.*)$/s.exec(line) ?? []

/** Returns the line as it appears in the record. */
export const shown = (line: string): string => {
  const [, variables = "", command = ""] = variablesOf(line)
  return `$ ${line.startsWith("!") ? line.slice(1) : expand(`${variables}quarry ${command}`)}`.trimEnd()
}

const testCase = (line: string, more: Omit<Case, "line"> = {}): Case => ({ line, ...more })

/** Runs with the API key and base URLs of the sandbox. */
const connectedCase = (line: string, more: Omit<Case, "line" | "connected"> = {}): Case => ({
  line,
  connected: true,
  ...more
})

const json = { "content-type": "application/json" }

/** Runs with an upstream that returns one response. */
const scripted = (
  line: string,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = json
): Case => connectedCase(line, { script: [{ status, headers, body }] })

/** Runs with a sandbox that injects a fault. */
const faulty = (line: string, fault: Sandbox.Fault, more: Omit<Case, "line" | "connected"> = {}): Case =>
  connectedCase(line, { sandbox: { faults: [{ fault }] }, ...more })

const price = "token price {token}"

/** 2^256−1 */
const largest = "115792089237316195423570985008687907853269984665640564039457584007913129639935"

const dates = "--from-date 2024-01-01 --to-date 2024-02-01"

/** Shows the requests to services with other base URLs than the sandbox. */
const requestCase = (line: string, body = "{\"result\":[]}"): Case => ({
  line,
  env: {
    QUARRY_API_KEY: "key+of/mine==",
    QUARRY_BASE_URL: "https://data.test/gateway/",
    QUARRY_STREAMS_URL: "https://streams.test",
    QUARRY_LEDGER_URL: "https://ledger.test/v1/",
    QUARRY_LEDGER_TESTNET_URL: "https://testnet.test/v1"
  },
  script: [{ status: 200, headers: json, body: expand(body) }],
  showsRequests: true
})

/** JSON has the content of NDJSON: the records of lists and of a price show its layout. */
const inEveryFormat = (line: string): ReadonlyArray<Case> =>
  ["table", "ndjson", "csv"].map((format) => testCase(`${line} -o ${format} --sandbox`))

/** A list, one with notes, one with a known issue, an update, and a command without an operation. */
const commands = ["wallet transfers", "nft list", "token owners", "stream set-status", "sandbox serve"]

/** Cases by name of the record. */
export const cases: Readonly<Record<string, ReadonlyArray<Case>>> = {
  "help": [
    testCase(""),
    testCase("--help"),
    testCase("wallet --help"),
    testCase("--version")
  ],
  "help-commands": [
    ...commands.map((command) => testCase(`${command} --help`)),
    testCase("wallet transfers --help all"),
    testCase("token price --help", { terminal: 50, isColored: true })
  ],
  "wallet-transfers": [
    ...inEveryFormat("wallet transfers {wallet} --limit 2"),
    testCase("wallet transfers {emptyWallet} -o table --sandbox"),
    testCase("wallet transfers {emptyWallet} -o json --sandbox"),
    testCase("wallet transfers {emptyWallet} -o ndjson --sandbox")
  ],
  "wallet-nft-trades": inEveryFormat("wallet nft-trades {wallet} --limit 2"),
  "wallet-chains": [
    ...inEveryFormat("wallet chains {wallet} --chains eth,polygon"),
    testCase("wallet chains {wallet} --chains base-sepolia -o table --sandbox"),
    testCase("wallet chains {emptyWallet} --chains eth -o table --sandbox")
  ],
  "token-transfers": inEveryFormat("token transfers {token} --limit 2"),
  "token-owners": [
    ...inEveryFormat("token owners {token} --limit 2"),
    testCase("token owners {polygonToken} --chain polygon --limit 2 -o table --sandbox"),
    testCase("token owners {polygonToken} --chain polygon --largest 2 -o table --sandbox"),
    testCase("token owners {token} --largest 2 -o ndjson --sandbox", { terminal: 120 })
  ],
  "token-price": [
    ...inEveryFormat("token price {token} --include percent_change"),
    testCase("token price {token} --include percent_change -o json --sandbox"),
    testCase("token price {unpricedToken} --sandbox -o table")
  ],
  "nft-list": [
    ...inEveryFormat("nft list {collection} --limit 2"),
    testCase("nft list {collection} --normalize-metadata --media-items --limit 1 -o json --sandbox"),
    testCase("nft list {collection} --total-ranges 4 --range 2 --limit 2 -o table --sandbox"),
    testCase("nft list {unindexed} --limit 1 -o table --sandbox"),
    testCase("nft list {unindexed} --wait --timeout 300ms --sandbox", {
      sandbox: { syncAfter: { duration: "1 hour" } }
    }),
    testCase("nft list {unindexed} --wait --limit 1 -o table --sandbox", {
      sandbox: { syncAfter: { reads: 1 } }
    })
  ],
  "nft-get": [
    ...inEveryFormat("nft get {collection1155} {tokenId1155} --normalize-metadata --media-items"),
    testCase("nft get {unindexed} 1 --sandbox")
  ],
  "nft-owners": inEveryFormat("nft owners {collection} 1"),
  "stream-set-status": [
    ...inEveryFormat("stream set-status {stream} paused"),
    testCase("stream set-status 00000000-0000-0000-0000-000000000000 paused --sandbox")
  ],
  "ledger-tx": [
    ...inEveryFormat("ledger tx {transaction}"),
    testCase("ledger tx {pending} -o table --sandbox"),
    testCase("ledger tx {transaction} --network testnet --sandbox")
  ],
  "lists": [
    testCase("wallet transfers {busyWallet} --limit 2 -o ndjson --sandbox", {
      about: "an upstream without cursors",
      sandbox: { walletTransfersCursor: false }
    }),
    testCase("wallet transfers {wallet} --limit 2 --max-items 3 -o table --sandbox"),
    testCase("wallet transfers {wallet} --max-items 3 -o json --sandbox"),
    testCase("wallet transfers {wallet} --max-items 3 -o ndjson --sandbox", { terminal: 120 }),
    testCase("token transfers {token} --limit 2 --max-items 3 -o ndjson --sandbox", { closedAfter: 1 }),
    connectedCase("token transfers {token} --limit 2 --all -o json", {
      interruptedAfter: 1,
      sandbox: { faults: [{ skip: 1, fault: { kind: "hang" } }] }
    }),
    connectedCase("token transfers {token} --limit 2 --all -o table", {
      about: "a page fails without retry",
      sandbox: { faults: [{ skip: 1, fault: { status: 400 } }] }
    }),
    connectedCase("token transfers {token} --limit 2 --max-items 3 -o table --timeout 3s", {
      about: "the timeout ends a list",
      sandbox: { faults: [{ skip: 1, fault: { kind: "hang" } }] }
    }),
    connectedCase("token transfers {token} --limit 2 --all -o table", {
      about: "the first page fails",
      sandbox: { faults: [{ fault: { status: 400 } }] }
    }),
    connectedCase("wallet transfers {busyWallet} --limit 2 --all -o table", {
      about: "a repeated cursor",
      sandbox: { faults: [{ skip: 1, fault: { kind: "repeat-cursor" } }] }
    }),
    connectedCase("nft owners {collection} 1 --cursor from-nowhere")
  ],
  "terminals": [
    ...[40, 120].map((terminal) => testCase("wallet transfers {wallet} --limit 2 --sandbox", { terminal })),
    testCase("token price {token} --fields tokenLogo,nativePrice,usdPrice --sandbox", { terminal: 40 }),
    testCase("token owners {token} --limit 2 --sandbox", { terminal: 100, isColored: true }),
    testCase("token price {token} --fields tokenLogo,usdPrice --sandbox", { terminal: 60, isColored: true }),
    testCase("token price {token} --chian eth", { terminal: 80, isColored: true }),
    scripted(
      "wallet chains {wallet} -o table",
      200,
      JSON.stringify({
        address: sandboxValues["wallet"],
        active_chains: [{ chain: "\u001b[31meth\u001b[0m", chain_id: "0x1" }]
      })
    )
  ],
  "errors-configuration": [
    testCase(price, { about: "no API key and no base URL" }),
    testCase(price, {
      about: "no API key",
      env: { QUARRY_BASE_URL: "http://sandbox.invalid" }
    }),
    testCase("ledger tx {transaction} --network testnet"),
    connectedCase(`${price} --base-url nowhere`),
    connectedCase(`${price} --base-url https://data.example.com?key=hidden`),
    connectedCase(price, { env: { QUARRY_BASE_URL: "data.example.com" } }),
    connectedCase(price, { env: { QUARRY_API_KEY: "" } }),
    connectedCase(price, { env: { QUARRY_RATE_LIMIT: "fast" } }),
    connectedCase(price, { env: { QUARRY_RATE_LIMIT: "5" } }),
    connectedCase(`${price} --fields usdPrice`, { env: { QUARRY_RATE_LIMIT: "25/10s" } }),
    testCase(price, { env: { QUARRY_SANDBOX: "maybe" } }),
    testCase(`${price} --fields usdPrice`, { env: { QUARRY_SANDBOX: "yes" } }),
    connectedCase(`${price} --fields usdPrice --no-sandbox`, { env: { QUARRY_SANDBOX: "1" } }),
    testCase(`${price} --sandbox --base-url https://data.example.com`),
    connectedCase(`${price} --base-url http://other.invalid --fields usdPrice`, {
      env: { QUARRY_SANDBOX: "1" }
    })
  ],
  "errors-arguments": [
    "walet chains {wallet}",
    "chains {wallet}",
    "nowhere",
    "wallet nowhere",
    "wach wallet transfers",
    "help nowhere",
    "help enviroment",
    "help walet",
    "hlep",
    "version",
    "token prize --help",
    `${price} --chian eth`,
    "--colour",
    "doctor -vx",
    `${price} --limit 5`,
    "token price",
    "nft get {collection}",
    `${price} more`,
    `${price} --chain`,
    `${price} --chain --verbose`,
    `${price} --sandbox=maybe`,
    `${price} -o=yaml`,
    `${price} --output jsno`,
    `${price} --timeout 0`,
    `${price} --timeout 30d`,
    "wallet transfers {wallet} --limit -5",
    "wallet transfers {wallet} --limit 9007199254740992",
    "wallet transfers {wallet} --from-block 9007199254740992",
    "wallet transfers {wallet} --to ''",
    "man wallet transfer",
    `${price} --api-key hidden`,
    `${price} --key=hidden`,
    `${price} --token hidden`
  ].map((line) => testCase(line)),
  "errors-input": [
    testCase("wallet transfers 0x12"),
    testCase("wallet transfers alice.eth"),
    testCase(`${price} --chain polygn`),
    testCase(`${price} --to-block soon`),
    testCase(`${price} --include percent`),
    testCase("wallet transfers {wallet} --limit 0"),
    testCase("wallet transfers {wallet} --order up"),
    testCase("wallet transfers {wallet} --contract-addresses 0x12"),
    testCase("wallet transfers {wallet} --max-items 0"),
    connectedCase("wallet transfers {wallet} --cursor quarry-resume-1.x"),
    testCase("token transfers {token} --from-block 9 --to-block 3"),
    testCase("token owners {token} --largest 0"),
    testCase("nft list {collection} --total-ranges 2000 --all"),
    testCase("nft get {collection} first"),
    testCase("stream set-status {stream} pausd"),
    testCase("stream set-status '' paused"),
    testCase("ledger tx {transaction} --network devnet"),
    testCase("sandbox serve --port 70000")
  ],
  "errors-upstream": [
    connectedCase("token price {unknownAddress}", { about: "404" }),
    connectedCase("nft get {collection} 999999999"),
    connectedCase("ledger tx 0x0000000000000000000000000000000000000000000000000000000000000000"),
    connectedCase("stream set-status 00000000-0000-0000-0000-000000000000 paused"),
    connectedCase(price, { about: "a revoked API key", env: { QUARRY_API_KEY: "sandbox-revoked-key" } }),
    connectedCase(price, { about: "an exhausted plan", env: { QUARRY_API_KEY: "sandbox-exhausted-key" } }),
    faulty(price, { status: 400 }),
    faulty(price, { status: 403 }),
    faulty(price, { status: 408 }),
    faulty(price, { status: 500 }),
    faulty(price, { status: 302, redirect: "http://elsewhere.invalid/" }),
    faulty(price, { kind: "reset" }),
    faulty(price, { kind: "html" }),
    faulty(`${price} --timeout 50ms`, { kind: "hang" }),
    faulty("stream set-status {stream} paused --timeout 50ms", { kind: "hang" }),
    faulty("stream set-status {stream} paused", { status: 500 }),
    connectedCase("wallet transfers {wallet} --limit 2 --all -o table", {
      about: "the local rate limit",
      env: { QUARRY_RATE_LIMIT: "10/h" }
    }),
    scripted(price, 200, "{\"usdPrice\":\"much\"}"),
    scripted("token owners {token}", 200, "{\"result\":[{\"balance\":\"x\"}]}"),
    scripted(price, 400, "\u001b[31mred\u001b[0m \u202e", { "content-type": "text/plain" }),
    scripted(price, 404, "<html>", { "content-type": "text/html" }),
    connectedCase(price, { env: { QUARRY_BASE_URL: "http://sandbox.invalid/foo" } }),
    scripted(`${price} --json-errors`, 401, "{}", { ...json, "x-request-id": "req-7" }),
    scripted(`${price} --json-errors`, 429, "{}", { ...json, "retry-after": "3600" }),
    scripted(price, 429, "{\"message\":\"slow down\"}", { ...json, "retry-after": "3600" }),
    scripted(price, 400, "{\"message\":\"the key sandbox-good-key is wrong\"}")
  ],
  "errors-unexpected": [
    connectedCase(price, { broken: true }),
    connectedCase(`${price} -o table`, { full: true }),
    connectedCase("token transfers {token} --limit 2 --all -o table", { full: true })
  ],
  // Each operation with all its options. Addresses are in upper case, cursors contain reserved characters
  "requests": [
    requestCase(
      "wallet transfers 0xBA766B2113A53A5900C11859CECA38CA9918C6B4 --chain polygon-amoy --limit 25 --order asc " +
        `--cursor 'a b+c/d=&?#é%' --from-block 0x3e8 --to-block 2000 ${dates} ` +
        "--contract-addresses 0xF124A828C0FC24A9F753C3EBB18EF93C74A67993 --contract-addresses {collection}"
    ),
    requestCase(
      "wallet chains {wallet} --chains eth,polygon-amoy --chains 0xE708",
      "{\"address\":\"{wallet}\",\"active_chains\":[]}"
    ),
    requestCase(
      "wallet nft-trades {wallet} --chain OPTIMISM --from-block 5 --from-date 1704067200 --to-block 6 " +
        "--to-date 2024-02-01 --cursor c --limit 10"
    ),
    requestCase(
      `${price} --chain moonbase --include percent_change --exchange mm-finance --to-block 22000000`,
      "{\"usdPrice\":1}"
    ),
    requestCase(
      `token transfers {token} --chain 0xA4B1 --limit 1 --order DESC --cursor next --from-block 0 ` +
        `--to-block 9007199254740991 ${dates}`
    ),
    requestCase("token owners {token} --chain eth --limit 3 --cursor c --order desc"),
    requestCase(
      "nft list {collection} --chain eth --format hex --limit 50 --total-ranges 4 --range 3 --cursor x " +
        "--normalize-metadata --media-items"
    ),
    requestCase(
      `nft get {collection} ${largest} --chain palm --format decimal --normalize-metadata --no-media-items`,
      "{\"token_address\":\"{collection}\",\"token_id\":\"1\"}"
    ),
    requestCase(
      `nft owners {collection} 0x${"f".repeat(64)} --chain base-sepolia --format decimal --limit 7 ` +
        "--cursor eyJ.-_~ --no-normalize-metadata --media-items"
    ),
    requestCase("stream set-status 'my stream № 1?#%' paused", "{\"id\":\"1\",\"status\":\"paused\"}"),
    requestCase("ledger tx {transaction} --network testnet", "{\"hash\":\"{transaction}\"}"),
    requestCase("ledger tx {transaction}", "{\"hash\":\"{transaction}\"}"),
    requestCase(`${price} --base-url http://127.0.0.1:4000/api/v2.2/`, "{\"usdPrice\":1}"),
    // Dates are timestamps if no block is set, and relative to the time of the command
    requestCase("wallet transfers {wallet} --from-date 2024-01-31 --to-date 2024-01-31T12:00:00.5+02:00"),
    requestCase("wallet transfers {wallet} --from-date yesterday --to-date 2h"),
    requestCase("wallet transfers {wallet} --from-date 5/1/2024 --to-date 'Wed Jun  5 08:00:00 EDT 2024'"),
    requestCase("wallet transfers {wallet} --from-date '10 11 2024' --to-date 'May 1 25 10:00'"),
    requestCase("wallet transfers {wallet} --from-date 5/13/2024 --to-date 'May 31, 2024 24:00'"),
    requestCase("wallet transfers {wallet} --from-date 6M"),
    requestCase("wallet transfers {wallet} --to-date 'Wed May  1 08:00:00 CST 2024'"),
    requestCase("watch wallet transfers {wallet} --since 6M"),
    requestCase("wallet nft-trades {wallet} --from-date 1706659200 --to-block LATEST --to-date latest"),
    requestCase(`${price} --to-block latest`, "{\"usdPrice\":1}"),
    requestCase("wallet transfers {wallet} --from-block latest"),
    requestCase("wallet transfers {wallet} --from-date yesterdy"),
    requestCase("wallet transfers {wallet} --from-date 1h --to-date 2h")
  ],
  "curl": [
    testCase("token owners {token} --all --curl", { env: { QUARRY_BASE_URL: "https://a.test" } }),
    testCase("ledger tx {transaction} --network testnet --sandbox --curl"),
    testCase("stream set-status {stream} paused --sandbox --curl"),
    testCase("token price 0x12 --curl --sandbox"),
    testCase("config list --curl")
  ],
  "api": [
    testCase("api", { terminal: 100 }),
    testCase("api tokenPrice address={token} --sandbox -o csv"),
    testCase("api tokenPrice address={token} --sandbox -o json"),
    scripted("api tokenPrice address={token}", 200, "{ \"usdPrice\" :1.50,\n\"extra\":\"Ä\u200e\" }"),
    {
      ...scripted(
        "api tokenPrice address={token}",
        200,
        "{\"usdPrice\":1,\"name\":\"\u009b31mred\u202e\"}\n"
      ),
      terminal: 80
    },
    scripted("api tokenPrice address={token} -i", 200, "{\"usdPrice\":1}", {
      ...json,
      "set-cookie": "session=1",
      "x-request-id": "r-1"
    }),
    scripted("api tokenPrice address={token}", 404, "{\"message\":\"no such token\"}"),
    scripted("api walletChains address={wallet} -i -v", 401, "{\"message\":\"sandbox-good-key\"}", {
      ...json,
      "x-request-id": "sandbox-good-key"
    }),
    testCase("api walletTransfers address={wallet} cursor=from-nowhere --sandbox"),
    ...[
      "walletTransfer",
      "walletTransfers adress={wallet}",
      "walletTransfers address={wallet} whatsoever=1",
      "walletTransfers address={wallet} chain",
      "walletTransfers address={wallet} limit=many",
      "walletTransfers",
      "updateStreamStatus id={stream} status=gone",
      "walletChains address={wallet} chains[]=eth chains[]=polygon --curl"
    ].map((line) => testCase(`api ${line} --sandbox`))
  ],
  "api-paths": [
    ...[
      "GET /erc20/{token}/price",
      "/erc20/{token}/price -o table",
      "/erc20/{token}/price -o json --fields tokenSymbol,nativePrice.value",
      "/erc20/{token}/price --fields help",
      "'/{wallet}/erc20/transfers?limit=2' -o table --fields block_number,token_symbol,value",
      "'/{wallet}/erc20/transfers?limit=2' --max-items 3 -o csv --fields block_number,value",
      "'/{wallet}/erc20/transfers?limit=2' --max-items 3 -o csv",
      "'/{wallet}/erc20/transfers?limit=2' --jq .token_symbol",
      "/{emptyWallet}/erc20/transfers --all -o table --fields value",
      "/{wallet}/erc20/transfers --fields valu",
      "POST /streams/evm/{stream}/status --api streams --body '{\"status\":\"paused\"}' --jq .status",
      "PUT /streams/evm/{stream}/status --api streams --body '{\"status\":\"paused\"}'",
      "/nothing",
      "'/wallets/{wallet}/chains?a=b' --query 'c d=e' --curl",
      "POST /x --api streams --body '{\"a\":\"it is\"}' --dry-run",
      "HEAD /x",
      "GET",
      "wallets/x",
      "/x a=b",
      "GET /x --body {}",
      "/x --query y",
      "/x --all -i",
      "tokenPrice address={token} --body {}"
    ].map((line) => testCase(`api ${line} --sandbox`)),
    testCase("api '/{wallet}/erc20/transfers?limit=3' -o table --sandbox", { terminal: 80 }),
    testCase("api /erc20/{token}/price -o table --sandbox", { terminal: 80 }),
    connectedCase("api '/{wallet}/erc20/transfers?limit=2' --all --jq .value", {
      interruptedAfter: 1,
      sandbox: { faults: [{ skip: 1, fault: { kind: "hang" } }] }
    }),
    scripted("api /a -i", 404, "{\"message\":\"gone\"}"),
    scripted("api /a --jq .b", 503, "busy"),
    scripted("api /a -o ndjson", 200, "[\"a\",{\"b\":1},[2]]")
  ],
  "explain": [
    testCase("explain -o table"),
    testCase("explain 6", { terminal: 60 }),
    testCase("explain ratelimit"),
    testCase("explain RateLimitError -o csv"),
    testCase("explain client-rate-limited -o json"),
    testCase("explain RateLimitEror"),
    testCase("explain 99")
  ],
  "quiet": [
    testCase("wallet transfers {wallet} --limit 2 --max-items 4 -o table --quiet --sandbox", {
      terminal: 60
    }),
    testCase("wallet transfers {emptyWallet} -q -o table --sandbox"),
    testCase("token price - -q --fields usdPrice --sandbox <<< {token}"),
    testCase("token price - -q --fields usdPrice --sandbox <<< {unpricedToken}"),
    testCase("token price 0x12 --quiet"),
    testCase("token price 0x12 --quiet --json-errors"),
    testCase("token price 0x12 -q -v")
  ],
  "completions-bash": [testCase("completions bash")],
  "completions-powershell": [testCase("completions powershell"), testCase("completions nowhere")],
  "completions-fish": [testCase("completions fish")],
  "completions-zsh": [testCase("completions zsh")],
  "verbose": [
    testCase("token price {token} --exchange mm-finance -v --sandbox"),
    connectedCase("token transfers {token} --limit 2 --max-items 3 --fields value --verbose"),
    connectedCase(`${price} -v --fields usdPrice`, {
      isColored: true,
      sandbox: {
        faults: [{ fault: { status: 503 }, count: 1 }, { fault: { kind: "reset" }, count: 1 }]
      }
    }),
    faulty(`${price} -v`, { "status": 429, "retry-after": "3600" }),
    faulty(`${price} -v`, { status: 500 }),
    scripted(`${price} -v --fields usdPrice`, 200, "{\"usdPrice\":1}", {
      ...json,
      "cache-status": "quarry-proxy; hit; ttl=30"
    }),
    testCase(
      "token transfers {token} --limit 2 --max-items 6 -v --rate-limit 5/100ms --fields value --sandbox"
    ),
    connectedCase("nft list {unindexed} --wait --limit 1 -v -o table", {
      sandbox: { syncAfter: { reads: 1 } }
    })
  ]
}
