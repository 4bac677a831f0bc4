/** Messages about invalid inputs, costs and TTLs of the operations. */
import type { AnyOperation, ExampleValues } from "@blockquarry/core/Operation"
import { allOperations } from "@blockquarry/core/Operations"
import { decodeInput } from "@blockquarry/core/RequestEncoding"
import type { Ttl } from "@blockquarry/core/Ttl"
import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import { readFileSync } from "node:fs"
import { record } from "./support/record.ts"

const address = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
const hash = `0x${"12".repeat(32)}`

const operationOf = (id: string): AnyOperation => {
  const found = allOperations.find((operation) => operation.id === id)
  if (found === undefined) throw new Error(`no operation ${id}`)
  return found
}

const values: ExampleValues = {
  wallet: address,
  token: address,
  collection721: address,
  tokenId721: "1",
  stream: "stream-1",
  transaction: hash
}

/** A valid input of each operation with only the required parameters. */
const requiredInput: Readonly<globalThis.Record<string, Readonly<globalThis.Record<string, unknown>>>> =
  Object.fromEntries(
    allOperations.map(({ example, id, parameters }: AnyOperation) => {
      const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name)
      return [
        id,
        Object.fromEntries(
          Object.entries(Object(example?.(values))).filter(([name]) => required.includes(name))
        )
      ]
    })
  )

/** The record is the list of cases: a new one has a new input, whose result `vitest -u` writes. */
const recorded = (name: string): string =>
  readFileSync(new URL(`records/${name}.json`, import.meta.url), "utf8")

/** Reads an input of the record, in which `(undefined)` stands for this value. */
const inputOf = (title: string): unknown => {
  const input: unknown = JSON.parse(title)
  const value = (member: unknown) => member === "(undefined)" ? undefined : member
  return Predicate.isRecord(input) ? Record.map(input, value) : value(input)
}

const whole = "the input is "

it("messages about invalid inputs are as recorded", async () => {
  const titles: Readonly<globalThis.Record<string, object>> = JSON.parse(recorded("invalidInputs"))
  const messages = Object.entries(titles).map(([id, inputs]) => {
    const results = Object.keys(inputs).map((title) => {
      // Mostly one invalid parameter, in addition to the required ones
      const input = title.startsWith(whole)
        ? inputOf(title.slice(whole.length))
        : { ...requiredInput[id], ...Object(inputOf(title)) }
      return [
        title,
        Either.match(decodeInput(operationOf(id), input), {
          onLeft: ({ message }) => message,
          onRight: (accepted: unknown) => ({ accepted })
        })
      ] as const
    })
    return [id, Object.fromEntries(results)] as const
  })
  expect(Object.keys(titles).toSorted()).toEqual(allOperations.map(({ id }) => id).toSorted())
  for (const { id } of allOperations) {
    expect(Either.isRight(decodeInput(operationOf(id), requiredInput[id])), id).toBe(true)
  }
  await record("invalidInputs", Object.fromEntries(messages), 2)
})

const describeTtl = (ttl: Ttl): string => {
  const millis = (duration: Duration.DurationInput) => `${Duration.toMillis(duration)} ms`
  switch (ttl._tag) {
    case "Immutable":
      return "for ever"
    case "NoStore":
      return "not cached"
    case "MaxAge":
      return millis(ttl.duration)
    case "UpToBlock":
      return `${millis(ttl.finalizedTtl)} once block ${ttl.block} is final, ${millis(ttl.recentTtl)} before`
  }
}

interface RecordedTtl {
  readonly operation: string
  readonly input: Readonly<globalThis.Record<string, unknown>>
  readonly response: unknown
}

it("TTLs are as recorded", async () => {
  const cases: ReadonlyArray<RecordedTtl> = JSON.parse(recorded("ttls"))
  expect(new Set(cases.map(({ operation }) => operation))).toEqual(new Set(allOperations.map(({ id }) => id)))
  const ttls = cases.map(({ input, operation: id, response }) => {
    const operation = operationOf(id)
    const canonical: unknown = Either.getOrThrow(decodeInput(operation, { ...requiredInput[id], ...input }))
    const ttl = describeTtl(operation.ttl(canonical, () => response))
    return { operation: id, input, response, ttl, cost: operation.cost }
  })
  await record("ttls", ttls, 1)
  const idsOf = (isChosen: (operation: AnyOperation) => boolean) =>
    allOperations.filter((operation: AnyOperation) => isChosen(operation)).map(({ id }) => id)
  await record("notFound", {
    "null is not found": idsOf(({ isNotFound }) => isNotFound(() => null)),
    "an empty object is not found": idsOf(({ isNotFound }) => isNotFound(() => ({}))),
    "not found is not cached": idsOf(({ cacheNotFound }) => !cacheNotFound),
    "retried only if it was not applied": idsOf(({ retry }) => retry !== "always")
  }, 1)
})
