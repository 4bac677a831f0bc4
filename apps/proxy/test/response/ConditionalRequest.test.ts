/** Entity tags of bodies. */
import { describe, expect, it } from "@effect/vitest"
import { entityTagOf } from "../../src/response/ConditionalRequest.ts"

describe("an entity tag", () => {
  it("is the SHA-256 of the body", () => {
    // From FIPS 180-2: the SHA-256 of "abc".
    const sha256 = Buffer.from("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "hex")
    expect(entityTagOf(Buffer.from("abc"))).toBe(`W/"${sha256.toString("base64url")}"`)
  })
})
