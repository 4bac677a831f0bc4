/** Chains that are not known: which of them reach the service, by every door of the command line. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import { anyId, newName, typo } from "../../../../packages/core/test/support/chains.ts"
import { chainOf } from "../../src/args/Chains.ts"
import { exampleValues } from "../../src/help/Help.ts"
import { quarry, sandboxEnvironment } from "../support/quarry.ts"
import { respondingWith } from "../support/stubClient.ts"

const { wallet } = exampleValues

interface Door {
  readonly argv: (chain: string) => ReadonlyArray<string>
  readonly env?: (chain: string) => Readonly<Record<string, string>>
}

const doors = {
  "--chain": { argv: (chain) => ["wallet", "transfers", wallet, `--chain=${chain}`] },
  "--chains": { argv: (chain) => ["wallet", "chains", wallet, `--chains=${chain}`] },
  "a setting": {
    argv: () => ["wallet", "transfers", wallet],
    env: (chain) => ({ QUARRY_CHAIN: chain })
  },
  "quarry api": { argv: (chain) => ["api", "walletTransfers", `address=${wallet}`, `chain=${chain}`] }
} satisfies Readonly<Record<string, Door>>

const anyDoor = fc.constantFrom(...Object.entries<Door>(doors))

const body = JSON.stringify({ result: [], active_chains: [], address: wallet })

const sentChains = ({ argv, env = () => ({}) }: Door, chain: string) =>
  Effect.gen(function*() {
    const { client, sent } = respondingWith(body)
    const { code } = yield* quarry(argv(chain), { client, env: { ...sandboxEnvironment, ...env(chain) } })
    return [code, ...sent.flatMap(({ url }) => [...new URL(url).searchParams.values()])]
  })

/** Of a name, what a shell may pass: a comma separates chains, and digits are an ID. */
const name = newName.map((text) => text.trim()).filter((text) =>
  text !== "" && text.length < 100 && !/[,\0]|^\d+$/.test(text) && chainOf(text) === text
)

const expected: fc.Arbitrary<readonly [text: string, sent: string]> = fc.oneof(
  anyId,
  fc.bigInt({ min: 0n, max: 2n ** 256n }).map((id) => [String(id), `0x${id.toString(16)}`] as const),
  name.map((text) => [text, text] as const)
)

it.live.prop(
  "any ID and any new name reaches the service",
  [expected, anyDoor],
  ([[text, sent], [title, door]]) =>
    Effect.gen(function*() {
      expect([title, text, yield* sentChains(door, text)]).toEqual([title, text, [0, sent]])
    })
)

it.live.prop("several of them are requested one by one", [
  fc.uniqueArray(name, { minLength: 2, maxLength: 4 })
], ([names]) =>
  Effect.gen(function*() {
    const { client, sent } = respondingWith(body)
    yield* quarry(["wallet", "transfers", wallet, `--chain=${names.join(",")}`, "--concurrency=1"], {
      client,
      env: sandboxEnvironment
    })
    expect(sent.map(({ url }) => new URL(url).searchParams.get("chain"))).toEqual(names)
  }))

it.live.prop(
  "a misspelled name does not",
  [typo, anyDoor, fc.boolean(), fc.constantFrom("", "eth,")],
  ([[, text], [title, door], hasDashes, before]) =>
    Effect.gen(function*() {
      // Only --chain takes several
      const word = (title === "--chain" ? before : "") + (hasDashes ? text.replaceAll(" ", "-") : text)
      expect([title, word, yield* sentChains(door, word)]).toEqual([title, word, [2]])
    })
)
