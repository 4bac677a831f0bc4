/** Points that the specification of the interface leaves open, what this project does, and where to change it. */

const core = (module: string): string => `\`packages/core/src/${module}.ts\``
const http = (module: string): string => `\`packages/http/src/${module}.ts\``

export const openPoints: ReadonlyArray<readonly [notShown: string, choice: string, where: string]> = [
  ["Chain of a request without `chain`", "None is sent; the upstream decides", "the parameter `chain`"],
  [
    "Chains that the specification does not list",
    "Any name or ID is sent, unless it looks misspelled; the known ones are completed",
    core("Chain")
  ],
  [
    "Default and maximum of `limit`, except the default of `contractNfts`",
    "Any positive integer is sent; a page has the size that the response says",
    "the parameter `limit`"
  ],
  ["Default of `order`", "None is sent", "the parameter `order`"],
  [
    "Formats of dates",
    "ISO 8601 in any form, and other texts with a year, a month and at most one zone; sent as ISO 8601 in UTC. Without a zone: UTC",
    core("Time")
  ],
  ["A block and a date for the same bound", "The block is sent", core("InputSchema")],
  ["Format of arrays in a query", "`name[]=A&name[]=B`", "the option `arrayFormat` of a layer"],
  [
    "Values of `format` in lists",
    "Any text is sent; `decimal` and `hex` are completed",
    core("internal/commonParameters")
  ],
  ["Number of the first subrange", "1", "the parameter `range`"],
  ["Names of exchanges", "Any text is sent; the known ones are completed", core("operations/tokenPrice")],
  [
    "Cursor of `walletTransfers`",
    "Read if it is there; without it, the list continues by block",
    http("Pagination")
  ],
  [
    "Format and last value of `cursor`",
    "Sent back unchanged; absent, null or empty ends the list",
    core("Cursor")
  ],
  ["A cursor that repeats", "The list fails with `PaginationError`", http("Pagination")],
  [
    "Values of `status` of a collection",
    "Any text; `SYNCING` and an empty page are not cached",
    core("Ttl")
  ],
  ["Values of `contract_type`", "Any text; `ERC721` and `ERC1155` are completed", core("model/Nft")],
  ["Structure of `metadata`, `normalized_metadata` and `media`", "Kept as they are", core("model/Nft")],
  [
    "Types of the fields of a stream",
    "Those of the table below; an object where a list is expected is a list of one",
    core("model/StreamRecord")
  ],
  [
    "Transitions of the status of a stream",
    "Any status is sent; the request is repeated only if it cannot have been applied",
    "the policy `retry`"
  ],
  [
    "Four of five variants of a ledger transaction",
    "Those that the API of an Aptos node documents; another one, and members without a field, are kept as they are",
    core("model/LedgerTransaction")
  ],
  [
    "Address of the test network of the ledger",
    "An own base URL, without a default",
    "the layer `LedgerTestnetApi`"
  ],
  ["Scopes and lifetime of an API key", "A key is used until the upstream rejects it", "the option `apiKey`"],
  [
    "Status codes and bodies of errors",
    "Classified by status, headers and the usual members of messages",
    "[errors](errors.md)"
  ],
  [
    "Rate limits and quotas",
    "None in the library; 100 units/s in the command line and the proxy",
    "the policy `rateLimit`, see [policies](policies.md)"
  ],
  [
    "Costs of operations",
    "Those of the descriptions, from 1 to 5 units",
    "the policy `rateLimit.cost`, the key `costs` of the proxy"
  ],
  [
    "How long a response is valid",
    "The TTL of its operation; the cache is off by default in the library",
    "the policy `cache`"
  ],
  ["Deliveries of streams: payload, kinds, retries, signature", "Not supported", ""]
]
