/** How texts are escaped. `packages/http/test/golden/records/wire.json` has requests with every parameter of every operation. */
import { tokenOwners, updateStreamStatus } from "@blockquarry/core/Operations"
import { formatQuery } from "@blockquarry/core/RequestEncoding"
import { PathSegment } from "@blockquarry/core/WellFormedText"
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { encodedRequest } from "../support/operationInputs.ts"

const a = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

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
})

describe("an ID in a path", () => {
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
