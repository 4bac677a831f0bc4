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

describe("golden records", () => {
  it("of authentication", async () => {
    const { end, replay } = recorder("authentication")
    await replay("with clients", {
      config: {
        clients: [
          testClient("indexer", "of-the-indexer"),
          testClient("indexer-2", "of-the-second"),
          testClient("admin", "of-the-admin", { scopes: ["read", "write"] }),
          testClient("streams", "of-the-streams", { scopes: ["write"] }),
          testClient("prices", "of-the-prices", { scopes: ["tokenPrice"] }),
          testClient("office", "of-the-office", { allowedCidrs: ["10.0.0.0/8", "2001:db8::/32"] }),
          testClient("polygon", "of-polygon", { chains: ["polygon"] }),
          testClient("collection", "of-the-collection", { contracts: [examples.collection721] }),
          testClient("here", "of-here", { allowedCidrs: ["127.0.0.1"] })
        ],
        listen: { ...defaults.listen, port: 0, trustedProxies: ["127.0.0.1", "192.0.2.0/24"] }
      }
    })
    await end()
  })

  it("of JWTs and expired tokens", async () => {
    const { send, end, logged, pass, proxy } = recorder("jwt")
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
    await pass(600_000)
    await logged("cannot be read")
    await end()
  })

  it("of hosts and cross-site requests", async () => {
    const { end, replay } = recorder("origins")
    await replay("anonymous access, with one allowed host", {
      config: { listen: { ...defaults.listen, port: 0, allowedHosts: ["quarry.example"] } }
    })
    await replay("with clients, which may use any origin", {
      config: { clients: [testClient("one", "of-one")] }
    })
    await end()
  })

  it("of missing configuration", async () => {
    const { end, replay } = recorder("missing-configuration")
    const none = { data: undefined, streams: undefined, ledger: undefined, ledgerTestnet: undefined }
    await replay("without base URLs", { endpoints: { ...testEndpoints, baseUrls: none } })
    await replay("without keys", { endpoints: { ...testEndpoints, keys: keys() } })
    await replay("with one base URL", {
      endpoints: { ...testEndpoints, baseUrls: { ...none, data: testEndpoints.baseUrls.data } }
    })
    await end()
  })
})
