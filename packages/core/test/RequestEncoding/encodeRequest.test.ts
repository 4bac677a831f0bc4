/** How texts are escaped. `packages/http/test/golden/records/wire.json` has requests with every parameter of every operation. */
import { tokenOwners, updateStreamStatus, walletTransfers } from "@blockquarry/core/Operations"
import { formatQuery } from "@blockquarry/core/RequestEncoding"
import { PathSegment } from "@blockquarry/core/WellFormedText"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { encodedRequest, inputIssues } from "../support/operationInputs.ts"

const a = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
const b = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"

describe("equivalent inputs", () => {
  it("are encoded as equal requests", () => {
    const canonical = encodedRequest(walletTransfers, {
      address: a.toLowerCase(),
      chain: "eth",
      contract_addresses: [b],
      from_block: 1
    })
    const inputs = [
      { address: a, chain: "0x1" as const, contract_addresses: [b.toUpperCase()], from_block: 1 },
      { from_block: 1, contract_addresses: [b], chain: "eth" as const, address: a.toUpperCase(), cursor: "" },
      { address: a, chain: "eth" as const, contract_addresses: [b], from_block: 1, to_date: undefined }
    ]
    for (const input of inputs) expect(encodedRequest(walletTransfers, input)).toEqual(canonical)
  })
})

const anyText = FastCheck.string({ unit: "binary", minLength: 1, maxLength: 40 })

describe("a cursor", () => {
  it("of any characters survives a URL", () => {
    FastCheck.assert(
      FastCheck.property(anyText, (cursor) => {
        const { query } = encodedRequest(tokenOwners, { token_address: a, cursor })
        const text = formatQuery(query)
        expect(text).toMatch(/^[!-~]*$/)
        expect(new URL(`http://host/x?${text}`).searchParams.get("cursor")).toBe(cursor)
        expect([...new URLSearchParams(text)]).toEqual([["cursor", cursor]])
      })
    )
  })

  it("with a lone surrogate is rejected, because a URL cannot encode it", () => {
    expect(inputIssues(tokenOwners, { token_address: a, cursor: "abc\ud83d" }).map(([name]) => name)).toEqual(
      [
        "cursor"
      ]
    )
  })
})

describe("an ID in a path", () => {
  it.each([
    ["?x=1", "%3Fx%3D1"],
    ["#top", "%23top"],
    ["a b", "a%20b"],
    ["...", "..."],
    ["100%", "100%25"],
    ["日本", "%E6%97%A5%E6%9C%AC"],
    ["\n", "%0A"],
    ["@host:80", "%40host%3A80"]
  ])("%j is encoded as one segment, %s", (id, segment) => {
    const { path } = encodedRequest(updateStreamStatus, { id, status: "active" })
    expect(path).toBe(`/streams/evm/${segment}/status`)
    expect(new URL(path, "http://host").href).toBe(`http://host/streams/evm/${segment}/status`)
  })

  it.each(["", ".", "..", "a/b", "..%2f..", "a\\b", "%2e%2e", "\ud800", null, 5, ["a"]])(
    "%j is rejected before a request is sent",
    (id) => {
      expect(inputIssues(updateStreamStatus, { id, status: "active" }).map(([name]) => name)).toEqual(["id"])
    }
  )

  it("of any characters does not change host, path structure and query", () => {
    FastCheck.assert(
      FastCheck.property(anyText.filter(Schema.is(PathSegment)), (id) => {
        const { path } = encodedRequest(updateStreamStatus, { id, status: "active" })
        const url = new URL(path, "http://host")
        expect(url.host + url.search + url.hash).toBe("host")
        const segments = url.pathname.split("/")
        expect(segments.map(decodeURIComponent)).toEqual(["", "streams", "evm", id, "status"])
      })
    )
  })
})
