/** The sandbox of the package: in-process, with the interface of fetch. */
import {
  ConfigurationError,
  createClient,
  NetworkError,
  NotFoundError,
  TimeoutError
} from "@blockquarry/client"
import { createSandbox } from "@blockquarry/client/sandbox"
import { expect, it } from "vitest"

const setup = (options?: Parameters<typeof createSandbox>[0]) => {
  const sandbox = createSandbox(options)
  const { apiKey, baseUrl, fetch } = sandbox
  return { ...sandbox, client: createClient({ apiKey, baseUrl, fetch, retry: { attempts: 1 } }) }
}

it("serves all APIs, and records requests", async () => {
  const { client, examples, recordedRequests } = setup()
  expect((await client.tokenPrice({ address: examples.token })).tokenName).toBe("Quarry Dollar")
  expect((await client.updateStreamStatus({ id: examples.stream, status: "paused" })).status).toBe("paused")
  expect((await client.ledgerTransaction({ txn_hash: examples.transaction })).hash).toBe(examples.transaction)
  expect(recordedRequests().map(({ method, operation }) => `${method} ${operation}`)).toEqual([
    "GET tokenPrice",
    "POST updateStreamStatus",
    "GET ledgerTransaction"
  ])
  const unknown = client.nftMetadata({ address: examples.collection721, token_id: 10n ** 20n })
  await expect(unknown).rejects.toBeInstanceOf(NotFoundError)
})

it("returns equal data for equal seeds", async () => {
  const prices = await Promise.all([1, 1, 2].map(async (seed) => {
    const { client, examples } = setup({ seed })
    return client.tokenPrice({ address: examples.token })
  }))
  expect(prices[0]).toStrictEqual(prices[1])
  expect(prices[0]).not.toEqual(prices[2])
})

it("adds blocks to a chain by name or ID, and rejects unknown chains and invalid numbers", async () => {
  const { addBlocks, client, examples } = setup()
  const head = async () => Number((await client.tokenPrice({ address: examples.token })).toBlock)
  const before = await head()
  addBlocks("eth", 3)
  addBlocks("0x1", 2)
  const add = (json: string) => expect(() => Reflect.apply(addBlocks, null, JSON.parse(json)))
  add(`["nope", 3]`).toThrow(ConfigurationError)
  add(`["nope", 3]`).toThrow(/^chain: expected one of eth, /)
  for (const blocks of [`-3`, `1.5`, `"x"`]) add(`["eth", ${blocks}]`).toThrow(/^blocks: Expected /)
  expect(await head() - before).toBe(5)
})

it("injects faults: resets, responses that never end, statuses", async () => {
  const { client, examples, queueFaults, recordedRequests } = setup()
  const price = (timeouts = {}) => client.tokenPrice({ address: examples.token }, { timeouts })
  queueFaults({ kind: "reset" }, { kind: "hang" }, { kind: "stall" }, { status: 503, "retry-after": "7" })
  await expect(price()).rejects.toBeInstanceOf(NetworkError)
  // An attempt of a busy process may end before the sandbox has its request
  for (const received of [2, 3]) {
    while (recordedRequests().length < received) {
      await expect(price({ attempt: 20 })).rejects.toBeInstanceOf(TimeoutError)
    }
  }
  await expect(price()).rejects.toMatchObject({ name: "ServerError", status: 503, retryAfter: 7000 })
  await expect(price()).resolves.toMatchObject({ tokenName: "Quarry Dollar" })
})

it.each([
  ["options", `{ "sed": 7 }`, "sed: unknown option; expected one of seed, scale, "],
  [
    "options",
    `{ "scale": -1, "seed": "7" }`,
    "seed: Expected number, actual \"7\"; scale: Expected a non-negative number, actual -1"
  ],
  ["options", "null", "options: "],
  ["faults", `{ "stats": 503 }`, "faults.1.stats: unknown option; expected one of delay, status, "],
  ["faults", `{ "kind": "explode" }`, "faults.1.kind: expected one of reset, "]
])("rejects unknown and invalid %s, and injects no fault: %s", async (what, json, message) => {
  const { client, examples, queueFaults } = setup()
  const run = () =>
    what === "options" ? createSandbox(JSON.parse(json)) : queueFaults({ status: 503 }, JSON.parse(json))
  expect(run).toThrow(ConfigurationError)
  expect(run).toThrow(message)
  expect((await client.tokenPrice({ address: examples.token })).tokenName).toBe("Quarry Dollar")
})

it("rejects as fetch does when a signal is aborted", async () => {
  const { baseUrl, fetch, queueFaults } = setup()
  queueFaults({ kind: "hang" })
  const controller = new AbortController()
  const response = fetch(`${baseUrl}/api/v2.2/erc20/0x/price`, controller)
  controller.abort(new Error("enough"))
  await expect(response).rejects.toThrow("enough")
})
