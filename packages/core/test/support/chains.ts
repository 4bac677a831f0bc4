/** Chains of requests, and what of them reaches an upstream. */
import { chainName, evmChains } from "@blockquarry/core/Chain"
import { misspelledName } from "@blockquarry/core/Suggestion"
import { expect } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"

/** A hexadecimal ID in any spelling, and the one that is sent. */
export const anyId: FastCheck.Arbitrary<readonly [text: string, id: string]> = FastCheck.tuple(
  FastCheck.bigInt({ min: 0n, max: 2n ** 256n }),
  FastCheck.nat({ max: 3 }),
  FastCheck.boolean()
).map(([id, zeros, isUpper]) => {
  const text = `0x${"0".repeat(zeros)}${id.toString(16)}`
  return [isUpper ? text.toUpperCase() : text, `0x${id.toString(16)}`]
})

/** Names of chains that services have, and any other text. */
export const newName: FastCheck.Arbitrary<string> = FastCheck.oneof(
  FastCheck.constantFrom(
    ...["monad", "polygon zkevm", "base goerli", "arbitrum nova", "blast sepolia", "Lisk Sepolia", "canto"],
    ...["mantle", "avax", "ethereum", "eth mainnet", "moonbase alpha", "143", "x".repeat(2000)]
  ),
  FastCheck.string({ unit: "grapheme", minLength: 1 }).filter((text) =>
    chainName(text) === undefined && misspelledName(text, evmChains) === undefined &&
    !/^0x[0-9a-f]+$/i.test(text)
  )
)

type Change = (letter: string, next: string) => string

/** A known name, and the same with one letter missing, added, replaced or swapped with the next one. */
export const typo: FastCheck.Arbitrary<readonly [name: string, text: string]> = FastCheck.tuple(
  FastCheck.constantFrom(...evmChains.filter((name) => name.length > 5)),
  FastCheck.nat(),
  FastCheck.constantFrom<Array<Change>>(
    (_, next) => next,
    (letter, next) => `${letter}q${next}`,
    (_, next) => `q${next}`,
    (letter, next) => `${next}${letter}`
  )
).map(([name, position, change]) => {
  const at = position % (name.length - 1)
  const [letter = "", next = ""] = name.slice(at)
  return [name, `${name.slice(0, at)}${change(letter, next)}${name.slice(at + 2)}`] as const
}).filter(([name, text]) => text !== name)

/**
 * Asserts which chains a door sends: any ID in lower case without leading zeros, names that are not known unchanged, and no misspelled
 * ones. `send` returns the chains that reach the upstream. In a list, a comma separates chains.
 */
export const expectOpenChains = async (
  send: (chain: string) => Promise<ReadonlyArray<string>>,
  isInList = false
): Promise<void> => {
  const law = <A>(
    arbitrary: FastCheck.Arbitrary<A>,
    expected: (value: A) => readonly [text: string, sent: Array<string>]
  ) =>
    FastCheck.assert(FastCheck.asyncProperty(arbitrary, async (value) => {
      const [text, sent] = expected(value)
      expect([text, await send(text)]).toEqual([text, sent])
    }))
  await law(anyId, ([text, id]) => [text, [id]])
  await law(newName.filter((name) => !(isInList && name.includes(","))), (name) => [name, [name]])
  await law(typo, ([, text]) => [text, []])
}
