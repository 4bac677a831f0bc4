/**
 * The inputs of the records: command lines with their surroundings. Results are in `records/`.
 *
 * Words in braces stand for what the sandbox has: `{wallet}` is a wallet. Quotes hold a word with spaces together.
 */
import type * as Sandbox from "@blockquarry/sandbox/Sandbox"

/** A response of a scripted upstream. The last one answers every further request. */
export interface Scripted {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

export interface Case {
  readonly line: string
  /** What the case is about, where the line does not say it. */
  readonly about?: string
  readonly env?: Readonly<Record<string, string>>
  /** Whether the environment has the key and the addresses of the sandbox. */
  readonly connected?: boolean
  readonly sandbox?: Omit<Sandbox.SandboxOptions, "ledger" | "seed">
  readonly script?: ReadonlyArray<Scripted>
  /** Whether the program has a defect, which quotes the request. */
  readonly broken?: boolean
  /** Whether the disk is full where the output goes. */
  readonly full?: boolean
  /** Columns of the terminal; without it standard output and error are no terminal. */
  readonly terminal?: number
  readonly coloured?: boolean
  /** After how many writes the reader of the output goes away. */
  readonly closedAfter?: number
  /** After how many writes Ctrl-C is pressed. */
  readonly interruptedAfter?: number
}

/** What the sandbox has, with seed 1. */
const names: Readonly<Record<string, string>> = {
  wallet: "0xba766b2113a53a5900c11859ceca38ca9918c6b4",
  busyWallet: "0xf0c02a404db8066dd124911823e9a3f857826472",
  emptyWallet: "0xafb6600bd209893cb2252298463303168fa6c9ca",
  token: "0xf124a828c0fc24a9f753c3ebb18ef93c74a67993",
  unpricedToken: "0xa02762ddb88bf92ce772e67c6b7351e35888a050",
  spamToken: "0xb8a36e1efea35b8a8c7f99f781121af82c115d4f",
  polygonToken: "0xff090b1bf339762131d479a58241b2e4482ebcf4",
  collection: "0x88c1cfd05896cc1885ee3e58243025720a456f8b",
  collection1155: "0xba3ab3fa77425233bc4d51a1953c948fc3436387",
  tokenId1155: "27681895463955313618714027297701641155802086373277994736524238203787906886130",
  unindexed: "0x29f01282fb1f46e11e01135f0570b4b39094d555",
  stream: "917803ca-37f1-492a-a927-beb8b2dab5d5",
  transaction: "0x15cc3458255c309c1d49bf3f987d905513b1508d7d213a2b8afad84ceb69d042",
  pending: "0x8a87e59027022600eab2c8f0642add9b486b6807a228aa0971f9b64ecdd139be",
  nothing: "0x00000000000000000000000000000000000000aa"
}

/** The key that the sandbox takes, two that it does not take, and its addresses. */
export const connection: Readonly<Record<string, string>> = {
  QUARRY_API_KEY: "sandbox-good-key",
  QUARRY_BASE_URL: "http://sandbox.invalid",
  QUARRY_STREAMS_URL: "http://sandbox.invalid",
  QUARRY_LEDGER_URL: "http://sandbox.invalid",
  QUARRY_LEDGER_TESTNET_URL: "http://sandbox.invalid/testnet"
}

const fill = (text: string): string =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => names[name] ?? whole)

/** The words of a line. */
export const words = (line: string): ReadonlyArray<string> =>
  [...fill(line).matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "")

/** The line as the record shows it. */
export const shown = (line: string): string => `$ quarry ${fill(line)}`.trimEnd()

const on = (line: string, more: Omit<Case, "line"> = {}): Case => ({ line, ...more })

/** Over the sandbox by its addresses: a real request is made to it. */
const over = (line: string, more: Omit<Case, "line" | "connected"> = {}): Case => ({
  line,
  connected: true,
  ...more
})

const json = { "content-type": "application/json" }

/** Over an upstream that gives one response. */
const scripted = (
  line: string,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = json
): Case => over(line, { script: [{ status, headers, body }] })

/** Over a sandbox with a fault. */
const faulty = (line: string, fault: Sandbox.Fault, more: Omit<Case, "line" | "connected"> = {}): Case =>
  over(line, { sandbox: { faults: [{ fault }] }, ...more })

const price = "token price {token}"

const inEveryFormat = (line: string): ReadonlyArray<Case> =>
  ["table", "json", "ndjson"].map((format) => on(`${line} -o ${format} --sandbox`))

const commands = [
  "wallet transfers",
  "wallet nft-trades",
  "wallet chains",
  "token transfers",
  "token owners",
  "token price",
  "nft list",
  "nft get",
  "nft owners",
  "stream set-status",
  "ledger tx",
  "sandbox serve"
]

const groups = ["wallet", "token", "nft", "stream", "ledger", "sandbox"]

/** By the names of their records. */
export const cases: Readonly<Record<string, ReadonlyArray<Case>>> = {
  "help": [
    on(""),
    on("--help"),
    on("-h"),
    on("help"),
    on("--help", { terminal: 60 }),
    on("--help", { terminal: 80, coloured: true }),
    ...groups.map((group) => on(`${group} --help`)),
    on("wallet"),
    on("help wallet"),
    on("help token price"),
    on("help sandbox serve"),
    on("--help nowhere"),
    on("--version"),
    on("-V"),
    on("token price --version")
  ],
  "help-commands": [
    ...commands.map((command) => on(`${command} --help`)),
    on("token price --help", { terminal: 50 }),
    on("token price --help", { terminal: 140, coloured: true })
  ],
  "wallet-transfers": [
    ...inEveryFormat("wallet transfers {wallet} --limit 2"),
    on("wallet transfers {wallet} --chain polygon --limit 2 --sandbox", { terminal: 120 }),
    on("wallet transfers {busyWallet} --contract-addresses {token} --max-items 2 -o ndjson --sandbox"),
    on("wallet transfers {busyWallet} --order asc --limit 2 -o table --sandbox"),
    on("wallet transfers {busyWallet} --from-date 2024-01-01 --limit 1 -o table --sandbox"),
    on("wallet transfers {emptyWallet} -o table --sandbox"),
    on("wallet transfers {emptyWallet} -o json --all --sandbox"),
    on("wallet transfers {emptyWallet} -o json --sandbox"),
    on("wallet transfers {emptyWallet} -o ndjson --sandbox")
  ],
  "wallet-nft-trades": inEveryFormat("wallet nft-trades {wallet} --limit 2"),
  "wallet-chains": [
    ...inEveryFormat("wallet chains {wallet} --chains eth,polygon"),
    on("wallet chains {wallet} -o table --sandbox"),
    on("wallet chains {wallet} --chains eth,polygon,base-sepolia -o table --sandbox"),
    on("wallet chains {emptyWallet} --chains eth -o table --sandbox")
  ],
  "token-transfers": inEveryFormat("token transfers {token} --limit 2"),
  "token-owners": [
    ...inEveryFormat("token owners {token} --limit 2"),
    on("token owners {polygonToken} --chain polygon --limit 2 -o table --sandbox"),
    on("token owners {polygonToken} --chain polygon --largest 2 -o table --sandbox"),
    on("token owners {token} --largest 2 -o json --sandbox"),
    on("token owners {token} --largest 2 -o ndjson --sandbox", { terminal: 120 })
  ],
  "token-price": [
    ...inEveryFormat("token price {token} --include percent_change"),
    on("token price {spamToken} --sandbox -o table"),
    on("token price {unpricedToken} --sandbox -o table"),
    on("token price {token} --exchange mm-finance --sandbox -o table")
  ],
  "nft-list": [
    ...inEveryFormat("nft list {collection} --limit 2"),
    on("nft list {collection} --normalize-metadata --media-items --limit 1 -o json --sandbox"),
    on("nft list {collection} --total-ranges 4 --range 2 --limit 2 -o table --sandbox"),
    on("nft list {unindexed} --limit 1 -o table --sandbox"),
    on("nft list {unindexed} --wait --timeout 300ms --sandbox", {
      sandbox: { syncAfter: { duration: "1 hour" } }
    }),
    on("nft list {unindexed} --wait --limit 1 -o table --sandbox", { sandbox: { syncAfter: { reads: 1 } } })
  ],
  "nft-get": [
    ...inEveryFormat("nft get {collection} 1"),
    on("nft get {collection1155} {tokenId1155} --normalize-metadata --media-items -o table --sandbox"),
    on("nft get {collection} 0x1 --format hex -o ndjson --sandbox"),
    on("nft get {unindexed} 1 --sandbox")
  ],
  "nft-owners": inEveryFormat("nft owners {collection} 1"),
  "stream-set-status": [
    ...inEveryFormat("stream set-status {stream} paused"),
    on("stream set-status 00000000-0000-0000-0000-000000000000 paused --sandbox")
  ],
  "ledger-tx": [
    ...inEveryFormat("ledger tx {transaction}"),
    on("ledger tx {pending} -o table --sandbox"),
    on("ledger tx {transaction} --network testnet --sandbox")
  ],
  "lists": [
    on("wallet transfers {busyWallet} --limit 2 -o ndjson --sandbox"),
    on("wallet transfers {busyWallet} --limit 2 -o table --sandbox"),
    on("wallet transfers {busyWallet} --limit 2 -o json --sandbox"),
    on("wallet transfers {busyWallet} --limit 2 -o ndjson --sandbox", {
      about: "a service whose lists have no cursors",
      sandbox: { walletTransfersCursor: false }
    }),
    on("nft owners {collection} 1 --all -o json --sandbox"),
    on("nft owners {collection} 1 --all -o ndjson --sandbox"),
    on("nft owners {collection} 1 --all -o table --sandbox"),
    on("wallet transfers {wallet} --limit 2 --max-items 3 -o table --sandbox"),
    on("wallet transfers {wallet} --limit 2 --max-items 4 -o table --sandbox"),
    on("wallet transfers {wallet} --max-items 3 -o json --sandbox"),
    on("wallet transfers {wallet} --max-items 3 -o ndjson --sandbox", { terminal: 120 }),
    on("token transfers {token} --limit 2 --max-items 3 -o table --sandbox", { closedAfter: 1 }),
    over("token transfers {token} --limit 2 --all -o table", {
      about: "the third page hangs",
      interruptedAfter: 2,
      sandbox: { faults: [{ skip: 2, fault: { kind: "hang" } }] }
    }),
    over("token transfers {token} --limit 2 --all -o json", {
      interruptedAfter: 1,
      sandbox: { faults: [{ skip: 1, fault: { kind: "hang" } }] }
    }),
    over("token transfers {token} --limit 2 --all -o table", {
      about: "a page fails for good",
      sandbox: { faults: [{ skip: 1, fault: { status: 400 } }] }
    }),
    over("token transfers {token} --limit 2 --max-items 3 -o table --timeout 3s", {
      about: "the time is over in a list",
      sandbox: { faults: [{ skip: 1, fault: { kind: "hang" } }] }
    }),
    over("token transfers {token} --limit 2 --all -o table", {
      about: "the first page fails",
      sandbox: { faults: [{ fault: { status: 400 } }] }
    }),
    over("wallet transfers {busyWallet} --limit 2 --all -o table", {
      about: "a cursor that comes again",
      sandbox: { faults: [{ skip: 1, fault: { kind: "repeat-cursor" } }] }
    }),
    over("token transfers {token} --limit 2 --max-items 3 -o table", {
      about: "an empty page in the middle",
      sandbox: { faults: [{ skip: 1, count: 1, fault: { kind: "empty-page" } }] }
    }),
    over("nft owners {collection} 1 --cursor from-nowhere")
  ],
  "terminals": [
    ...[40, 60, 80, 120, 200].map((terminal) =>
      on("wallet transfers {wallet} --limit 2 --sandbox", { terminal })
    ),
    ...[40, 80, 160].map((terminal) => on("token price {token} --sandbox", { terminal })),
    on("token owners {token} --limit 2 --sandbox", { terminal: 100, coloured: true }),
    on("token price {token} --sandbox", { terminal: 60, coloured: true }),
    on("token price {token} --chian eth", { terminal: 80, coloured: true }),
    on("nft list {unindexed} --limit 1 --sandbox", { terminal: 80, coloured: true }),
    on("nft list {collection} --limit 2 -o ndjson --max-items 2 --sandbox", { terminal: 80 }),
    scripted(
      "wallet chains {wallet} -o table",
      200,
      JSON.stringify({
        address: names["wallet"],
        active_chains: [{ chain: "\u001b[31meth\u001b[0m", chain_id: "0x1" }]
      })
    ),
    scripted(
      "wallet chains {wallet} -o json",
      200,
      JSON.stringify({
        address: names["wallet"],
        active_chains: [{ chain: "\u009b31meth\u202e", chain_id: "0x1" }]
      })
    )
  ],
  "errors-settings": [
    on(price, { about: "neither key nor base URL" }),
    on(price, {
      about: "no key",
      env: { QUARRY_BASE_URL: "http://sandbox.invalid" }
    }),
    on("stream set-status {stream} paused", { env: { QUARRY_API_KEY: "sandbox-good-key" } }),
    on("ledger tx {transaction}"),
    on("ledger tx {transaction} --network testnet"),
    over(`${price} --base-url nowhere`),
    over(`${price} --base-url ftp://data.example.com`),
    over(`${price} --base-url https://user:hidden@data.example.com`),
    over(`${price} --base-url https://data.example.com?key=hidden`),
    over(price, { env: { QUARRY_BASE_URL: "data.example.com" } }),
    over(price, { env: { QUARRY_API_KEY: "two words" } }),
    over(price, { env: { QUARRY_API_KEY: "" } }),
    over(price, { env: { QUARRY_RATE_LIMIT: "fast" } }),
    over(price, { env: { QUARRY_RATE_LIMIT: "0/s" } }),
    over(price, { env: { QUARRY_RATE_LIMIT: "5" } }),
    over(`${price} -o table`, { env: { QUARRY_RATE_LIMIT: "none" } }),
    over(`${price} -o table`, { env: { QUARRY_RATE_LIMIT: "25/10s" } }),
    on(price, { env: { QUARRY_SANDBOX: "maybe" } }),
    on(`${price} -o table`, { env: { QUARRY_SANDBOX: "yes" } }),
    over(`${price} -o table --no-sandbox`, { env: { QUARRY_SANDBOX: "1" } }),
    on(`${price} --sandbox --base-url https://data.example.com`),
    over(`${price} --base-url http://other.invalid -o table`, { env: { QUARRY_SANDBOX: "1" } })
  ],
  "errors-line": [
    on("walet chains {wallet}"),
    on("wallets"),
    on("chains {wallet}"),
    on("transfers"),
    on("nowhere"),
    on("wallet chain {wallet}"),
    on("wallet nowhere"),
    on("help nowhere"),
    on("token prize --help"),
    on(`${price} --chian eth`),
    on(`${price} --chian=eth`),
    on(`${price} --colour`),
    on("--colour"),
    on(`${price} -x`),
    on(`${price} --limit 5`),
    on(`${price} --curl`),
    on(`${price} --all`),
    on("token price"),
    on("nft get {collection}"),
    on("stream set-status {stream}"),
    on(`${price} more`),
    on("wallet chains {wallet} {wallet}"),
    on(`${price} --chain`),
    on(`${price} --chain --verbose`),
    on(`${price} --output`),
    on(`${price} --chain eth --chain polygon`),
    on(`${price} --sandbox=maybe`),
    on(`${price} --output yaml`),
    on(`${price} -o=yaml`),
    on(`${price} --timeout soon`),
    on(`${price} --timeout 0`),
    on(`${price} --timeout -5s`),
    on(`${price} --timeout 30d`),
    on(`${price} --api-key hidden`),
    on(`${price} --key=hidden`),
    on(`${price} --token hidden`),
    on("--completions powershell"),
    on("--completions")
  ],
  "errors-input": [
    on("wallet transfers 0x12"),
    on("wallet transfers alice.eth"),
    on("token price '0xF124A828C0FC24A9F753C3EBB18EF93C74A67993' -o table --sandbox"),
    on(`${price} --chain sepolia`),
    on(`${price} --chain etherium`),
    on(`${price} --chain 0x1 -o table --sandbox`),
    on(`${price} --to-block soon`),
    on(`${price} --to-block -1`),
    on(`${price} --include percent`),
    on(`${price} --exchange uniswap --sandbox`),
    on("wallet chains {wallet} --chains eth,ploygon-amoy"),
    on("wallet transfers {wallet} --limit 0"),
    on("wallet transfers {wallet} --limit many"),
    on("wallet transfers {wallet} --order up"),
    on("wallet transfers {wallet} --from-date yesterday"),
    on("wallet transfers {wallet} --contract-addresses 0x12"),
    on("wallet transfers {wallet} --max-items 0"),
    on("wallet transfers {wallet} --max-items many"),
    over("wallet transfers {wallet} --cursor quarry-walk-1.x"),
    on("token transfers {token} --from-block 9 --to-block 3"),
    on("token transfers {token} --from-date 2024-02-01 --to-date 2024-01-01"),
    on("token owners {token} --largest 0"),
    on("token owners {token} --largest 9999999"),
    on("nft list {collection} --range 2 --sandbox"),
    on("nft list {collection} --total-ranges 4 --range 5 --sandbox"),
    on("nft list {collection} --total-ranges 2000 --all"),
    on("nft list {collection} --format octal --sandbox"),
    on("nft get {collection} first"),
    on("nft get {collection} -1"),
    on("stream set-status {stream} pausd"),
    on("stream set-status '' paused"),
    on("ledger tx 0x12"),
    on("ledger tx {transaction} --network devnet"),
    on("sandbox serve --port http"),
    on("sandbox serve --port 70000"),
    on("sandbox serve --seed -1"),
    on("sandbox serve --scale 99999999999")
  ],
  "errors-service": [
    over("token price {nothing}", { about: "404" }),
    over("nft get {collection} 999999999"),
    over("ledger tx 0x0000000000000000000000000000000000000000000000000000000000000000"),
    over("stream set-status 00000000-0000-0000-0000-000000000000 paused"),
    over(price, { about: "a key that was revoked", env: { QUARRY_API_KEY: "sandbox-revoked-key" } }),
    over(price, { about: "a plan that is used up", env: { QUARRY_API_KEY: "sandbox-exhausted-key" } }),
    faulty(price, { status: 400 }),
    faulty(price, { status: 401 }),
    faulty(price, { status: 402 }),
    faulty(price, { status: 403 }),
    faulty(price, { status: 404 }),
    faulty(price, { status: 407 }),
    faulty(price, { status: 408 }),
    faulty(price, { status: 410 }),
    faulty(price, { status: 418 }),
    faulty(price, { status: 424 }),
    faulty(price, { "status": 429, "retry-after": "3600" }),
    faulty(price, { status: 500 }),
    faulty(price, { "status": 503, "retry-after": "3600" }),
    faulty(price, { status: 302, redirect: "http://elsewhere.invalid/" }),
    faulty(price, { status: 204 }),
    faulty(price, { kind: "reset" }),
    faulty(price, { kind: "reset-body" }),
    faulty(price, { kind: "truncate" }),
    faulty(price, { kind: "gzip-truncated" }),
    faulty(price, { kind: "bad-json" }),
    faulty(price, { kind: "html" }),
    faulty(price, { kind: "empty" }),
    faulty(price, { kind: "null" }),
    faulty("nft get {collection} 1", { kind: "null" }),
    faulty(`${price} --timeout 50ms`, { kind: "hang" }),
    faulty(`${price} --timeout 50ms`, { kind: "stall" }),
    faulty("stream set-status {stream} paused --timeout 50ms", { kind: "hang" }),
    faulty("stream set-status {stream} paused", { status: 500 }),
    faulty("stream set-status {stream} paused", { kind: "reset" }),
    faulty("stream set-status {stream} paused", { kind: "html" }),
    over("wallet transfers {wallet} --limit 2 --all -o table", {
      about: "the rate limit of the program",
      env: { QUARRY_RATE_LIMIT: "10/h" }
    }),
    scripted(price, 200, "{\"usdPrice\":\"much\"}"),
    scripted(price, 200, "[]"),
    scripted(price, 200, "{}"),
    scripted("token owners {token}", 200, "{\"result\":{}}"),
    scripted("token owners {token}", 200, "{\"result\":[{\"balance\":\"x\"}]}"),
    scripted("wallet chains {wallet}", 200, "{\"active_chains\":null}"),
    scripted(price, 400, "{\"message\":[\"chain is wrong\",\"address too\"]}"),
    scripted(price, 400, "{\"error\":{\"message\":\"in an object\"}}"),
    scripted(price, 400, "a text", { "content-type": "text/plain" }),
    scripted(price, 400, "\u001b[31mred\u001b[0m \u202e", { "content-type": "text/plain" }),
    scripted(price, 401, "{\"message\":\"Your plan has reached its limit\"}"),
    scripted(price, 404, "{\"message\":\"No pools found\"}"),
    scripted(price, 429, "{\"message\":\"slow down\"}", { ...json, "retry-after": "3600" }),
    scripted(price, 201, "{\"usdPrice\":1}"),
    scripted(price, 400, "{\"message\":\"the key sandbox-good-key is wrong\"}")
  ],
  "errors-unexpected": [
    over(price, { broken: true }),
    over(`${price} -o table`, { full: true }),
    over("token transfers {token} --limit 2 --all -o table", { full: true })
  ],
  "completions-bash": [on("--completions bash")],
  "completions-fish": [on("--completions fish")],
  "completions-zsh": [on("--completions zsh")],
  "verbose": [
    on("token price {token} --exchange mm-finance -v -o table --sandbox"),
    over("token transfers {token} --limit 2 --max-items 3 -o table --verbose"),
    over(`${price} -v -o table`, {
      sandbox: {
        faults: [{ fault: { status: 503 }, count: 1 }, { fault: { kind: "reset" }, count: 1 }]
      }
    }),
    faulty(`${price} -v`, { status: 400 }),
    faulty(`${price} -v`, { "status": 429, "retry-after": "3600" }),
    faulty(`${price} -v`, { status: 500 }),
    faulty(`${price} -v`, { kind: "html" }),
    over("stream set-status {stream} paused -v -o table"),
    over(`${price} -v -o table`, { terminal: 80, coloured: true }),
    over("nft list {unindexed} --wait --limit 1 -v -o table", { sandbox: { syncAfter: { reads: 1 } } })
  ]
}
