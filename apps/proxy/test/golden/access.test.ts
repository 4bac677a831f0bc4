/** Records of access control: tokens, scopes, networks, hosts and cross-site requests. */
import * as Duration from "effect/Duration"
import * as Jose from "jose"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, it } from "vitest"
import * as Tokens from "../../src/auth/Tokens.ts"
import { defaults } from "../../src/config/Config.ts"
import { configuredTokens, keys, testClient, testEndpoints } from "../support/proxy.ts"
import { sampleRequests } from "../support/sampleRequests.ts"
import { examples, recorder } from "./support/golden.ts"

const price = sampleRequests["tokenPrice"]?.path ?? ""

const status = `/streams/evm/${examples.stream}/status`

const paused = { method: "POST", headers: ["Content-Type: application/json"], body: `{"status":"paused"}` }

const forwardedFrom = (hops: string) => [`X-API-Key: of-the-office`, `X-Forwarded-For: ${hops}`]

describe("golden records", () => {
  it("of authentication", async () => {
    const { send, end, proxy } = recorder("authentication")
    const clients = [
      testClient("indexer", "of-the-indexer"),
      testClient("indexer-2", "of-the-second"),
      testClient("admin", "of-the-admin", { scopes: ["read", "write"] }),
      testClient("streams", "of-the-streams", { scopes: ["write"] }),
      testClient("prices", "of-the-prices", { scopes: ["tokenPrice"] }),
      testClient("office", "of-the-office", { allowedCidrs: ["10.0.0.0/8", "2001:db8::/32"] }),
      testClient("polygon", "of-polygon", { chains: ["polygon"] }),
      testClient("collection", "of-the-collection", { contracts: [examples.collection721] }),
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
        ["an unknown token", ["X-API-Key: unknown-0"]],
        ["the upstream's API key as a token", ["X-API-Key: sandbox-good-key"]],
        ["a token", ["X-API-Key: of-the-indexer"]],
        ["a bearer token", ["Authorization: Bearer of-the-indexer"]],
        ["an invalid key and a valid bearer token", [
          "X-API-Key: wrong",
          "Authorization: Bearer of-the-indexer"
        ]],
        ["tokens of two clients", ["X-API-Key: of-the-second", "Authorization: Bearer of-the-indexer"]],
        ["a scope with the operation", ["X-API-Key: of-the-prices"]],
        ["a scope without read", ["X-API-Key: of-the-streams"]],
        ["another chain", ["X-API-Key: of-polygon"]],
        ["another contract", ["X-API-Key: of-the-collection"]],
        ["from another network", ["X-API-Key: of-the-office"]],
        ["from its network", ["X-API-Key: of-here"]],
        ["forwarded from its network", forwardedFrom("10.1.2.3")],
        ["forwarded from its network, in IPv6", forwardedFrom("[2001:db8::1]:5000")],
        ["forwarded by two", forwardedFrom("10.1.2.3, 192.0.2.7")],
        ["forwarded by an untrusted proxy", forwardedFrom("10.1.2.3, 203.0.113.5")]
      ] as const
    ) await send(title, price, { headers })
    await send("a scope without the operation", sampleRequests["nftMetadata"]?.path ?? "", {
      headers: ["X-API-Key: of-the-prices"]
    })
    await send("an update without its scope", status, {
      ...paused,
      headers: [...paused.headers, "X-API-Key: of-the-indexer"]
    })
    await send("an update with its scope", status, {
      ...paused,
      headers: [...paused.headers, "X-API-Key: of-the-streams"]
    })
    await send("an update with all scopes", status, {
      ...paused,
      headers: [...paused.headers, "X-API-Key: of-the-admin"]
    })
    const made = `qp_${"a".repeat(43)}`
    for (
      const [title, target] of [
        ["a token in the query", `${price}&api_key=of-the-indexer`],
        ["a generated token in a value", `${price}&note=${made}`],
        ["a generated token in the path", `/api/v2.2/erc20/${made}/price`],
        ["an unknown path without a token", "/nowhere"],
        ["a page without a token", "/livez"],
        ["an invalid parameter without a token", `${price}&to_block=x`]
      ] as const
    ) await send(title, target)
    await send("an invalid parameter with a token", `${price}&to_block=x`, {
      headers: ["X-API-Key: of-the-indexer"]
    })
    await send("OPTIONS without a token", price, { method: "OPTIONS" })
    await send("another method without a token", price, { method: "DELETE" })
    await send("HEAD without a token", price, { method: "HEAD" })
    await send("any host", price, { host: "quarry.example", headers: ["X-API-Key: of-the-indexer"] })
    await end()
  })

  it("of JWTs and expired tokens", async () => {
    const { send, end, proxy } = recorder("jwt")
    // The sample key of RFC 8037, whose signatures are always the same
    const publicJwk = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }
    const privateKey = await Jose.importJWK(
      { ...publicJwk, d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A" },
      "EdDSA"
    )
    const folder = mkdtempSync(join(tmpdir(), "jwks-"))
    const jwks = join(folder, "jwks.json")
    writeFileSync(jwks, JSON.stringify({ keys: [publicJwk] }))
    const jwt = {
      issuer: "https://login.example.com",
      audience: "quarry",
      jwks: pathToFileURL(jwks).href,
      algorithms: ["EdDSA"] as const,
      clockSkew: Duration.seconds(30),
      claim: "sub"
    }
    const sign = (claims: object) =>
      new Jose.SignJWT({ iss: jwt.issuer, aud: jwt.audience, exp: 1_900_000_000, ...claims })
        .setProtectedHeader({ alg: "EdDSA" }).sign(privateKey)
    const clients = [testClient("shop", "of-the-shop", { subjects: ["svc-shop"] })]
    const expired = {
      ...clients[0]!,
      tokens: configuredTokens([`${Tokens.hash("of-the-shop")} until 2029-12-31`])
    }
    await proxy("with keys in a file", { config: { jwt, clients: [expired] } })
    for (
      const [title, token] of [
        ["a JWT", await sign({ sub: "svc-shop" })],
        ["of another subject", await sign({ sub: "svc-other" })],
        ["for another audience", await sign({ sub: "svc-shop", aud: "other" })],
        ["that has expired", await sign({ sub: "svc-shop", exp: 1_000_000_000 })],
        ["an expired token", "of-the-shop"]
      ] as const
    ) await send(title, price, { headers: [`Authorization: Bearer ${token}`] })
    await proxy("without keys", { config: { jwt: { ...jwt, jwks: "file:///nowhere.json" }, clients } })
    await send("a JWT", price, { headers: [`Authorization: Bearer ${await sign({ sub: "svc-shop" })}`] })
    await end()
  })

  it("of hosts and cross-site requests", async () => {
    const { send, end, proxy } = recorder("origins")
    await proxy("anonymous access, with one allowed host", {
      config: { listen: { ...defaults.listen, port: 0, allowedHosts: ["quarry.example"] } }
    })
    for (
      const host of [
        "localhost",
        "127.0.0.1",
        "[::1]:8650",
        "Quarry.Example",
        "evil.example",
        ""
      ]
    ) await send(`to the host ${JSON.stringify(host)}`, price, { host })
    for (const page of ["/docs", "/readyz"]) {
      await send(`${page} to another host`, page, { host: "evil.example" })
    }
    for (
      const [title, headers] of [
        ["a read from its own page", ["Origin: http://127.0.0.1:8650"]],
        ["a read from a page of another site", ["Origin: http://evil.example"]],
        ["an image on a page of another site", ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"]],
        ["a read from the same site", ["Sec-Fetch-Site: same-origin"]],
        ["a read with a null origin", ["Origin: null"]]
      ] as const
    ) await send(title, price, { headers })
    for (
      const origin of [
        "http://127.0.0.1:8650",
        "http://evil.example",
        "null"
      ]
    ) {
      await send(`an update from ${origin}`, status, {
        ...paused,
        headers: [...paused.headers, `Origin: ${origin}`]
      })
    }
    await send("a form of another site", status, {
      ...paused,
      headers: ["Content-Type: text/plain", "Origin: http://evil.example"]
    })
    await send("a CORS preflight", status, {
      method: "OPTIONS",
      headers: ["Origin: http://evil.example", "Access-Control-Request-Method: POST"]
    })
    await proxy("with clients, which may use any origin", {
      config: { clients: [testClient("one", "of-one")] }
    })
    await send("a read from a page of another site", price, {
      headers: ["X-API-Key: of-one", "Origin: http://evil.example"]
    })
    await send("an update from a page of another site", status, {
      ...paused,
      headers: [...paused.headers, "X-API-Key: of-one", "Origin: http://evil.example"]
    })
    await end()
  })

  it("of missing configuration", async () => {
    const { send, end, proxy } = recorder("missing-configuration")
    const ledger = sampleRequests["ledgerTransaction"]?.path ?? ""
    const none = { data: undefined, streams: undefined, ledger: undefined, ledgerTestnet: undefined }
    await proxy("without base URLs", { endpoints: { ...testEndpoints, baseUrls: none } })
    await send("the data API", price)
    await send("the streams API", status, paused)
    await send("the ledger API", ledger)
    await send("the ledger's testnet", `${ledger}?network=testnet`)
    await send("a list", `/all/api/v2.2/${examples.wallet}/erc20/transfers`)
    await send("the headers of a list", `/all/api/v2.2/${examples.wallet}/erc20/transfers`, {
      method: "HEAD"
    })
    await send("readiness", "/readyz")
    await proxy("without keys", { endpoints: { ...testEndpoints, keys: keys() } })
    await send("the data API", price)
    await send("a list", `/all/api/v2.2/${examples.wallet}/erc20/transfers`)
    await send("readiness", "/readyz")
    await send("liveness", "/livez")
    await proxy("with one base URL", {
      endpoints: { ...testEndpoints, baseUrls: { ...none, data: testEndpoints.baseUrls.data } }
    })
    await send("the data API", price)
    await send("readiness", "/readyz")
    await end()
  })
})
