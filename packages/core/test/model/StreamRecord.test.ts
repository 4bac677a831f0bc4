import { StreamRecord, StreamStatus } from "@blockquarry/core/model/StreamRecord"
import { describe, expect, it } from "@effect/vitest"
import { decode, decodeIssues, encode, isDecodable } from "../support/schema.ts"

const least = { id: "3b6c8a52-9f0e-4b7b-8d0c-52a6a1c7d9ef", status: "active" }

const optional = [
  "statusMessage",
  "webhookUrl",
  "description",
  "tag",
  "topic0",
  "allAddresses",
  "includeNativeTxs",
  "includeContractLogs",
  "includeInternalTxs",
  "includeAllTxLogs",
  "getNativeBalances",
  "abi",
  "advancedOptions",
  "chainIds",
  "demo",
  "triggers"
]

const all = (value: unknown) => Object.fromEntries(optional.map((name) => [name, value]))

const parameter = { name: "from", type: "address", indexed: true, components: null, internalType: null }

const event = {
  anonymous: false,
  constant: null,
  inputs: [parameter],
  name: "Transfer",
  outputs: null,
  payable: null,
  stateMutability: null,
  type: "event",
  gas: null
}

const trigger = {
  type: "tx",
  contractAddress: "$to",
  inputs: ["$from", ["nested"], 7],
  functionAbi: {
    ...event,
    type: "function",
    inputs: [],
    outputs: [{ ...parameter, name: "", indexed: null }]
  },
  topic0: null,
  callFrom: null
}

/** Members that the specification shows as one object and services send as a list, with one element. */
const oneOrMany = [
  ["getNativeBalances", { selectors: ["$from"], type: "tx" }],
  ["abi", event],
  ["advancedOptions", {
    topic0: "Transfer(address)",
    filter: { or: [{ gt: ["value", "1"] }] },
    includeNativeTxs: null
  }],
  ["triggers", trigger]
] as const

describe("a stream", () => {
  it.each([["absent", {}], ["undefined", all(undefined)], ["null", all(null)]])(
    "has null for everything that is %s",
    (_, rest) => {
      expect(decode(StreamRecord, { ...least, ...rest })).toStrictEqual({ ...least, ...all(null) })
    }
  )

  it.each(["id", "status"])("needs its %s", (name) => {
    for (const value of [undefined, null, {}, 5]) {
      expect(isDecodable(StreamRecord, { ...least, [name]: value })).toBe(false)
      expect(decodeIssues(StreamRecord, { ...least, [name]: value })).toContain(name)
    }
  })

  it.each(["active", "paused", "error", "terminated", "a state of the future"])("may be %s", (status) => {
    expect(decode(StreamRecord, { ...least, status })).toMatchObject({ status })
  })

  it.each(oneOrMany)("has a list of %s, whether one comes, a list or none", (name, element) => {
    const list = (value: unknown): unknown => {
      const entries: ReadonlyArray<readonly [string, unknown]> = Object.entries(
        decode(StreamRecord, { ...least, [name]: value })
      )
      return new Map(entries).get(name)
    }
    expect(list(element)).toEqual([element])
    expect(list([element])).toEqual([element])
    expect(list([element, element])).toEqual([element, element])
    expect(list([])).toEqual([])
    expect(list(null)).toBeNull()
    expect(list(undefined)).toBeNull()
  })

  it.each(oneOrMany)("writes %s as a list, and reads that back", (name, element) => {
    const stream = decode(StreamRecord, { ...least, [name]: element })
    const written = encode(StreamRecord, stream)
    expect(written).toHaveProperty(name, [element])
    expect(decode(StreamRecord, written)).toEqual(stream)
  })

  it("takes an empty function, an empty trigger and empty parameters", () => {
    const nothing = { type: null, contractAddress: null, inputs: null, topic0: null, callFrom: null }
    const empty = Object.fromEntries(Object.keys(event).map((name) => [name, null]))
    expect(decode(StreamRecord, { ...least, triggers: [{ functionAbi: {} }, {}] }).triggers).toEqual([
      { ...nothing, functionAbi: empty },
      { ...nothing, functionAbi: null }
    ])
    expect(decode(StreamRecord, { ...least, abi: { ...event, inputs: [null] } }).abi?.[0]?.inputs).toEqual([
      null
    ])
  })

  it("takes flags in every spelling, and fuel as a number or as text", () => {
    const stream = decode(StreamRecord, {
      ...least,
      allAddresses: "true",
      includeNativeTxs: 1,
      demo: "0",
      abi: { gas: "21000" }
    })
    expect(stream).toMatchObject({
      allAddresses: true,
      includeNativeTxs: true,
      demo: false,
      abi: [{ gas: 21000 }]
    })
  })

  it("ignores members that newer services send", () => {
    const more = {
      amountOfAddresses: 2,
      projectId: "1",
      orgId: null,
      createdAt: "2024-01-01T00:00:00.000Z",
      updatedAt: "2024-01-01T00:00:00.000Z",
      isErrorSince: null
    }
    expect(decode(StreamRecord, { ...least, ...more })).toStrictEqual({ ...least, ...all(null) })
  })
})

describe("a status that is asked for", () => {
  it("is one of four, exactly", () => {
    for (const status of ["active", "paused", "error", "terminated"]) {
      expect(decode(StreamStatus, status)).toBe(status)
    }
    for (const status of ["Active", "stopped", "", null, 1, "active "]) {
      expect(isDecodable(StreamStatus, status)).toBe(false)
    }
  })
})
