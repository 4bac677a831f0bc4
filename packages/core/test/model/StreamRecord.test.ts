import { StreamRecord, StreamStatus } from "@blockquarry/core/model/StreamRecord"
import { describe, expect, it } from "@effect/vitest"
import { decode, decodeIssues, encode, isDecodable } from "../support/schema.ts"

const minimal = { id: "3b6c8a52-9f0e-4b7b-8d0c-52a6a1c7d9ef", status: "active" }

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
    outputs: [{ ...parameter, indexed: null }]
  },
  topic0: null,
  callFrom: null
}

/** Fields that are an object in the specification and an array in responses, with an example element. */
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
    "decodes fields that are %s to null",
    (_, rest) => {
      expect(decode(StreamRecord, { ...minimal, ...rest })).toStrictEqual({ ...minimal, ...all(null) })
    }
  )

  it.each(["id", "status"])("requires %s", (name) => {
    for (const value of [undefined, null, {}, 5]) {
      expect(isDecodable(StreamRecord, { ...minimal, [name]: value })).toBe(false)
      expect(decodeIssues(StreamRecord, { ...minimal, [name]: value })).toContain(name)
    }
  })

  it.each(["active", "paused", "error", "terminated", "an unknown status"])(
    "may have the status %s",
    (status) => {
      expect(decode(StreamRecord, { ...minimal, status })).toMatchObject({ status })
    }
  )

  it.each(oneOrMany)("decodes %s from an object or an array to an array", (name, element) => {
    const decodedField = (value: unknown): unknown => {
      const entries: ReadonlyArray<readonly [string, unknown]> = Object.entries(
        decode(StreamRecord, { ...minimal, [name]: value })
      )
      return new Map(entries).get(name)
    }
    expect(decodedField(element)).toEqual([element])
    expect(decodedField([element])).toEqual([element])
    expect(decodedField([element, element])).toEqual([element, element])
    expect(decodedField([])).toEqual([])
    expect(decodedField(null)).toBeNull()
    expect(decodedField(undefined)).toBeNull()
  })

  it.each(oneOrMany)("encodes %s as an array, which survives decoding", (name, element) => {
    const stream = decode(StreamRecord, { ...minimal, [name]: element })
    const encoded = encode(StreamRecord, stream)
    expect(encoded).toHaveProperty(name, [element])
    expect(decode(StreamRecord, encoded)).toEqual(stream)
  })

  it("decodes an empty function, an empty trigger and a null parameter", () => {
    const emptyTrigger = { type: null, contractAddress: null, inputs: null, topic0: null, callFrom: null }
    const emptyFunction = Object.fromEntries(Object.keys(event).map((name) => [name, null]))
    expect(decode(StreamRecord, { ...minimal, triggers: [{ functionAbi: {} }, {}] }).triggers).toEqual([
      { ...emptyTrigger, functionAbi: emptyFunction },
      { ...emptyTrigger, functionAbi: null }
    ])
    expect(decode(StreamRecord, { ...minimal, abi: { ...event, inputs: [null] } }).abi?.[0]?.inputs).toEqual([
      null
    ])
  })

  it("decodes booleans from every format, and gas from a string", () => {
    const stream = decode(StreamRecord, {
      ...minimal,
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

  it("ignores unknown fields", () => {
    const more = {
      amountOfAddresses: 2,
      projectId: "1",
      orgId: null,
      createdAt: "2024-01-01T00:00:00.000Z",
      updatedAt: "2024-01-01T00:00:00.000Z",
      isErrorSince: null
    }
    expect(decode(StreamRecord, { ...minimal, ...more })).toStrictEqual({ ...minimal, ...all(null) })
  })
})

describe("StreamStatus", () => {
  it("accepts exactly the four statuses", () => {
    for (const status of ["active", "paused", "error", "terminated"]) {
      expect(decode(StreamStatus, status)).toBe(status)
    }
    for (const status of ["Active", "stopped", "", null, 1, "active "]) {
      expect(isDecodable(StreamStatus, status)).toBe(false)
    }
  })
})
