/** Transactions as an Aptos node returns them, through the command line and the proxy alike. Core reads them for the library. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  documentHash,
  ledgerDocuments,
  lostMembers,
  orderlessDocument
} from "../../../packages/core/test/support/ledgerDocuments.ts"
import { sample } from "../../../packages/core/test/support/sample.ts"
import { quarry, sandboxEnvironment } from "../../cli/test/support/quarry.ts"
import { withCache } from "./golden/support/golden.ts"
import { sendRequest, start } from "./support/proxy.ts"
import { staticUpstream, upstreamOf } from "./support/staticUpstream.ts"

const command = ["ledger", "tx", documentHash]
const path = `/transactions/by_hash/${documentHash}`

/** Returns the cells of CSV without line breaks in cells. */
const tableOf = (csv: string): ReadonlyArray<ReadonlyArray<string>> =>
  csv.split("\r\n").map((line) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
      quoted?.replaceAll("\"\"", "\"") ?? plain ?? ""
    )
  )

describe("a transaction", () => {
  it.scopedLive.each(sample(ledgerDocuments, 3))(
    "keeps every member: %s",
    ([, document]) =>
      Effect.gen(function*() {
        const client = staticUpstream(200, JSON.stringify(document))
        const run = (...options: ReadonlyArray<string>) =>
          quarry([...command, ...options], { client, env: sandboxEnvironment })
        for (const format of ["json", "ndjson"]) {
          const { code, err, out } = yield* run("-o", format)
          expect([code, err]).toEqual([0, ""])
          const printed: unknown = JSON.parse(out)
          // Of an unknown variant, `document` is the complete record
          expect(lostMembers(document, printed)).toEqual([])
        }
        const body = yield* quarry(["api", path, "--api", "ledger"], { client, env: sandboxEnvironment })
        expect(JSON.parse(body.out)).toEqual(document)
        const { port } = yield* start({ httpClient: client })
        expect(JSON.parse((yield* sendRequest(port, path)).text)).toEqual(document)
      })
  )

  it.effect("has its payload and its signature in columns too, with the members that are no fields", () =>
    Effect.gen(function*() {
      for (const [, { payload, signature, ...rest }] of ledgerDocuments) {
        if (signature === undefined) continue
        const client = staticUpstream(200, JSON.stringify({ ...rest, payload, signature }))
        const csv = (...options: ReadonlyArray<string>) =>
          Effect.map(
            quarry([...command, "-o", "csv", ...options], { client, env: sandboxEnvironment }),
            ({ out }) => tableOf(out)
          )
        const all = yield* csv()
        const selected = yield* csv("--fields", "payload,signature")
        for (const table of [all, selected]) {
          for (const [name, value] of Object.entries({ payload, signature })) {
            const column = table[0]?.indexOf(name) ?? -1
            const cell = table[1]?.[column] ?? ""
            expect(lostMembers(value, JSON.parse(cell))).toEqual([])
          }
        }
      }
    }))
})

describe("a hash without 0x", () => {
  const bare = documentHash.slice(2).toUpperCase()

  it.scopedLive("is sent with it, and has the same cached response", () =>
    Effect.gen(function*() {
      const sent: Array<string> = []
      const client = upstreamOf((url) => {
        sent.push(url.pathname)
        return new Response(JSON.stringify(orderlessDocument), {
          headers: { "content-type": "application/json" }
        })
      })
      const ran = yield* quarry(["ledger", "tx", bare], { client, env: sandboxEnvironment })
      expect([ran.code, sent.splice(0)]).toEqual([0, [path]])
      const { port } = yield* start({ httpClient: client, config: withCache })
      const responses = yield* Effect.forEach(
        [bare, bare.toLowerCase(), documentHash, `0x${bare}`],
        (hash) => sendRequest(port, `/v1/transactions/by_hash/${hash}`)
      )
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect(sent).toEqual([path])
    }))

  it.scopedLive.each([`${bare}0`, bare.slice(1), `0x0x${bare}`, `${bare.slice(1)}g`])(
    "is rejected if it is no hash: %s",
    (hash) =>
      Effect.gen(function*() {
        const { port } = yield* start({ httpClient: staticUpstream(200, "{}") })
        expect((yield* sendRequest(port, `/transactions/by_hash/${hash}`)).status).toBe(400)
      })
  )
})
