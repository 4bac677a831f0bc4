/** Records of who may use what: tokens, scopes, networks, hosts and pages of other sites. */
import { describe, it } from "vitest"
import { defaults } from "../../src/config/Config.ts"
import { keys, testClient, testEndpoints } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"
import { examples, recorder } from "./support/golden.ts"

const price = sampleRequests["tokenPrice"]?.path ?? ""

const status = `/streams/evm/${examples.stream}/status`

const paused = { method: "POST", headers: ["Content-Type: application/json"], body: `{"status":"paused"}` }

const forwardedFrom = (hops: string) => [`X-API-Key: of-the-office`, `X-Forwarded-For: ${hops}`]

describe("golden records", () => {
  it("of authentication", async () => {
    const { ask, end, proxy } = recorder("authentication")
    const clients = [
      testClient("indexer", "of-the-indexer"),
      testClient("indexer-2", "of-the-second"),
      testClient("admin", "of-the-admin", { scopes: ["read", "write"] }),
      testClient("streams", "of-the-streams", { scopes: ["write"] }),
      testClient("prices", "of-the-prices", { scopes: ["tokenPrice"] }),
      testClient("office", "of-the-office", { allowedCidrs: ["10.0.0.0/8", "2001:db8::/32"] }),
      testClient("here", "of-here", { allowedCidrs: ["127.0.0.1"] })
    ]
    await proxy("with clients", {
      config: {
        clients,
        listen: { ...defaults.listen, port: 0, trustedProxies: ["127.0.0.1", "192.0.2.0/24"] }
      }
    })
    for (
      const [title, headers] of [
        ["no token", []],
        ["an empty token", ["X-API-Key: "]],
        ["a wrong token", ["X-API-Key: unknown-0"]],
        ["a wrong bearer token", ["Authorization: Bearer unknown-0"]],
        ["the upstream's key in place of a token", ["X-API-Key: sandbox-good-key"]],
        ["basic authentication", ["Authorization: Basic b2Y6dGhlLWluZGV4ZXI="]],
        ["a token as a cookie", ["Cookie: token=of-the-indexer"]],
        ["a token", ["X-API-Key: of-the-indexer"]],
        ["a bearer token", ["Authorization: Bearer of-the-indexer"]],
        ["a bearer token in small letters", ["authorization: bearer of-the-indexer"]],
        ["a wrong key, and a good bearer token", [
          "X-API-Key: wrong",
          "Authorization: Bearer of-the-indexer"
        ]],
        ["tokens of two clients", ["X-API-Key: of-the-second", "Authorization: Bearer of-the-indexer"]],
        ["a scope that has it", ["X-API-Key: of-the-prices"]],
        ["a scope without reads", ["X-API-Key: of-the-streams"]],
        ["from another network", ["X-API-Key: of-the-office"]],
        ["from its network", ["X-API-Key: of-here"]],
        ["forwarded from its network", forwardedFrom("10.1.2.3")],
        ["forwarded from its network, with a port", forwardedFrom("10.1.2.3:5000")],
        ["forwarded from its network, in IPv6", forwardedFrom("[2001:db8::1]:5000")],
        ["forwarded by two", forwardedFrom("10.1.2.3, 192.0.2.7")],
        ["forwarded from elsewhere, who claims another", forwardedFrom("10.1.2.3, 203.0.113.5")]
      ] as const
    ) await ask(title, price, { headers })
    await ask("a scope without the operation", sampleRequests["nftMetadata"]?.path ?? "", {
      headers: ["X-API-Key: of-the-prices"]
    })
    await ask("a change without its scope", status, {
      ...paused,
      headers: [...paused.headers, "X-API-Key: of-the-indexer"]
    })
    await ask("a change with its scope", status, {
      ...paused,
      headers: [...paused.headers, "X-API-Key: of-the-streams"]
    })
    await ask("a change with all scopes", status, {
      ...paused,
      headers: [...paused.headers, "X-API-Key: of-the-admin"]
    })
    const made = `qp_${"a".repeat(43)}`
    for (
      const [title, target] of [
        ["a token in the query", `${price}&api_key=of-the-indexer`],
        ["a token in the query under another name", `${price}&access-token=x`],
        ["a made token in a value", `${price}&note=${made}`],
        ["a made token in the path", `/api/v2.2/erc20/${made}/price`],
        ["an unknown path without a token", "/nowhere"],
        ["a page without a token", "/livez"],
        ["a wrong parameter without a token", `${price}&to_block=x`]
      ] as const
    ) await ask(title, target)
    await ask("a wrong parameter with a token", `${price}&to_block=x`, {
      headers: ["X-API-Key: of-the-indexer"]
    })
    await ask("OPTIONS without a token", price, { method: "OPTIONS" })
    await ask("another method without a token", price, { method: "DELETE" })
    await ask("HEAD without a token", price, { method: "HEAD" })
    await ask("any host", price, { host: "quarry.example", headers: ["X-API-Key: of-the-indexer"] })
    await end()
  }, 60_000)

  it("of hosts and pages of other sites", async () => {
    const { ask, end, proxy } = recorder("origins")
    await proxy("open, with one name", {
      config: { listen: { ...defaults.listen, port: 0, allowedHosts: ["quarry.example"] } }
    })
    for (
      const host of [
        "localhost",
        "127.0.0.1",
        "[::1]:8650",
        "10.0.0.7:8650",
        "Quarry.Example",
        "quarry.example.evil.example",
        "evil.example",
        ""
      ]
    ) await ask(`to the host ${JSON.stringify(host)}`, price, { host })
    for (
      const [title, headers] of [
        ["a read from its own page", ["Origin: http://127.0.0.1:8650"]],
        ["a read from a page of another site", ["Origin: http://evil.example"]],
        ["a picture on a page of another site", ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"]],
        ["a read from the same site", ["Sec-Fetch-Site: same-origin"]],
        ["a read without an origin to name", ["Origin: null"]]
      ] as const
    ) await ask(title, price, { headers })
    for (
      const origin of [
        "http://127.0.0.1:8650",
        "https://127.0.0.1:8650",
        "http://evil.example",
        "http://127.0.0.1:8650.evil.example",
        "http://127.0.0.1:1",
        "null"
      ]
    ) {
      await ask(`a change from ${origin}`, status, {
        ...paused,
        headers: [...paused.headers, `Origin: ${origin}`]
      })
    }
    await ask("a form of another site", status, {
      ...paused,
      headers: ["Content-Type: text/plain", "Origin: http://evil.example"]
    })
    await ask("a browser that asks first", status, {
      method: "OPTIONS",
      headers: ["Origin: http://evil.example", "Access-Control-Request-Method: POST"]
    })
    await proxy("with clients, who may come from any page", {
      config: { clients: [testClient("one", "of-one")] }
    })
    await ask("a read from a page of another site", price, {
      headers: ["X-API-Key: of-one", "Origin: http://evil.example"]
    })
    await ask("a change from a page of another site", status, {
      ...paused,
      headers: [...paused.headers, "X-API-Key: of-one", "Origin: http://evil.example"]
    })
    await end()
  }, 60_000)

  it("of missing settings", async () => {
    const { ask, end, proxy } = recorder("missing-settings")
    const ledger = sampleRequests["ledgerTransaction"]?.path ?? ""
    const none = { data: undefined, streams: undefined, ledger: undefined, ledgerTestnet: undefined }
    await proxy("without addresses", { service: { ...testEndpoints, baseUrls: none } })
    await ask("the data", price)
    await ask("the streams", status, paused)
    await ask("the ledger", ledger)
    await ask("the ledger's testnet", `${ledger}?network=testnet`)
    await ask("a list", `/all/api/v2.2/${examples.wallet}/erc20/transfers`)
    await ask("the headers of a list", `/all/api/v2.2/${examples.wallet}/erc20/transfers`, { method: "HEAD" })
    await ask("whether it is ready", "/readyz")
    await proxy("without keys", { service: { ...testEndpoints, keys: keys() } })
    await ask("the data", price)
    await ask("a list", `/all/api/v2.2/${examples.wallet}/erc20/transfers`)
    await ask("whether it is ready", "/readyz")
    await ask("whether it lives", "/livez")
    await proxy("with one of all", {
      service: { ...testEndpoints, baseUrls: { ...none, data: testEndpoints.baseUrls.data } }
    })
    await ask("the data", price)
    await ask("whether it is ready", "/readyz")
    await end()
  }, 60_000)
})
