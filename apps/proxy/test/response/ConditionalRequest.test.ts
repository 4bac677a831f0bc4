/** Entity tags of bodies. */
import { describe, expect, it } from "@effect/vitest"
import xxhash from "xxhash-wasm"
import { entityTagOf } from "../../src/response/ConditionalRequest.ts"

const mebibyte = 1024 * 1024

describe("an entity tag", () => {
  it.each([0, 1, mebibyte, mebibyte + 1, 3 * mebibyte + 5])("is the hash of all %i bytes", async (length) => {
    const { h64Raw } = await xxhash()
    const body = Uint8Array.from({ length }, (_, index) => index * 31 % 251)
    expect(entityTagOf(body)).toBe(`W/"${h64Raw(body).toString(36)}"`)
  })

  it("keeps no memory of the size of the body", () => {
    const body = new Uint8Array(64 * mebibyte)
    const before = process.memoryUsage().external
    entityTagOf(body)
    expect(process.memoryUsage().external - before).toBeLessThan(32 * mebibyte)
  })
})
