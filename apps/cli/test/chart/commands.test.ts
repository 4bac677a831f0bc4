/** Commands draw charts of what the sandbox returns. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { width } from "../../src/text/Width.ts"
import { temporaryFolder } from "../support/exports.ts"
import { quarry, sandboxEnvironment, withRunningClock } from "../support/quarry.ts"
import { respondingWith } from "../support/stubClient.ts"

const wallet = "0xba766b2113a53a5900c11859ceca38ca9918c6b4"
const token = "0xf124a828c0fc24a9f753c3ebb18ef93c74a67993"
const utf8 = { LANG: "C.UTF-8" }

/** Commands, and the columns of their pictures. */
const commands: ReadonlyArray<readonly [line: string, columns: number]> = [
  [`wallet transfers ${wallet} --max-items 150`, 60],
  [`wallet transfers ${wallet} --contract-addresses ${token} --all`, 100],
  [`token transfers ${token} --max-items 250`, 100],
  [`wallet nft-trades ${wallet} --all`, 100],
  [`wallet chains ${wallet}`, 100],
  [`token owners ${token}`, 100],
  [`token price ${token}`, 100]
]

it.effect("the pictures of all commands fit the terminal", () =>
  Effect.gen(function*() {
    const pictures = yield* Effect.forEach(commands, ([line, columns]) =>
      Effect.gen(function*() {
        const { code, out } = yield* quarry([...line.split(" "), "--chart", "--sandbox"], {
          terminal: columns,
          env: utf8
        })
        expect(code).toBe(0)
        for (const line of out.split("\n")) expect(width(line)).toBeLessThanOrEqual(columns)
        return `$ quarry ${line} --chart\n${out}`
      }))
    yield* Effect.promise(() => expect(pictures.join("\n")).toMatchFileSnapshot("pictures.txt"))
  }))

it.effect("a chart is ASCII of 80 columns in a pipe without a UTF-8 locale, and written as SVG", () =>
  Effect.gen(function*() {
    const path = temporaryFolder()
    const file = join(path, "chart.svg")
    const { err, out } = yield* quarry(
      ["wallet", "chains", wallet, "--chart", "--chart-to", file, "--sandbox"],
      { env: { ...utf8, LC_ALL: "C" } }
    )
    expect(out).toMatch(/^[\x20-\x7e\n]+$/)
    expect(Math.max(...out.split("\n").map(({ length }) => length))).toBe(80)
    expect(err).toContain(`wrote ${file}`)
    expect(readFileSync(file, "utf8")).toContain("class=\"bar\"")
    expect(readdirSync(path)).toEqual(["chart.svg"])
  }))

describe("records", () => {
  it.effect("that arrived before an error or an interruption are drawn as incomplete, but not to a file", () =>
    Effect.gen(function*() {
      const file = join(temporaryFolder(), "chart.svg")
      const argv = ["wallet", "transfers", wallet, "--all", "--limit", "20", "--retry-for", "0"]
      // Time passes while modules are loaded, so that only what hangs has a timeout, and a long one
      const run = (kind: "html" | "hang") =>
        quarry([...argv, "--chart", "--chart-to", file, ...kind === "hang" ? ["--timeout", "20m"] : []], {
          env: { ...utf8, ...sandboxEnvironment },
          sandbox: { faults: [{ fault: { kind }, skip: 2 }] }
        })
      for (const [kind, code] of [["html", 6], ["hang", 7]] as const) {
        const ran = yield* withRunningClock(run(kind), "10 seconds")
        expect(ran.code).toBe(code)
        expect(ran.out).toContain("40 transfers, from")
        expect(ran.out).toContain("Incomplete: received only 40 transfers.")
        expect(existsSync(file)).toBe(false)
      }
    }))

  it.effect("without a time have a row of their own, and an empty list has none", () =>
    Effect.gen(function*() {
      const record = `{"transaction_hash":"0x${"ab".repeat(32)}","block_number":1}`
      const draw = (result: string) =>
        quarry(["token", "transfers", token, "--chart"], {
          env: { ...utf8, ...sandboxEnvironment },
          client: respondingWith(`{"page":1,"page_size":100,"cursor":null,"result":[${result}]}`).client
        })
      expect((yield* draw(`${record},${record}`)).out).toMatch(/\nno time +2 █+\n\n2 transfers\.\n$/)
      expect((yield* draw("")).out).toBe("Transfers of the token 0xf124…7993 per day\n\nNo transfers.\n")
    }))
})

describe("the price of a token", () => {
  const price = (fields: string) =>
    quarry(["token", "price", token, "--chart"], {
      env: { ...utf8, ...sandboxEnvironment },
      client: respondingWith(`{"tokenSymbol":"T",${fields}}`).client
    })

  it.effect.each(
    [
      [
        "compared with that of 24 hours ago",
        "3",
        "\"50\"",
        /24 hours ago +≈2 █+\S?\nnow +3 █+\n\nChange in 24 hours: \+50%\.\n$/
      ],
      ["alone after no change", "3", "null", /dollars\nnow +3 █+/],
      ["alone after a loss of everything", "3", "\"-100\"", /dollars\nnow +3 █+/],
      ["alone after a loss from a price that no number can be", "3e307", "\"-99\"", /dollars\nnow +3\S* █+/]
    ] as const
  )("is drawn %s", ([, usdPrice, change, picture]) =>
    Effect.gen(function*() {
      const { out } = yield* price(`"usdPrice":${usdPrice},"24hrPercentChange":${change}`)
      expect(out).toMatch(picture)
    }))
})

describe("options", () => {
  it.effect.each(
    [
      [["token", "transfers", token, "--chart", "-o", "csv"], "--chart and --output are mutually exclusive"],
      [["token", "transfers", token, "--chart", "--jq", "."], "--chart and --jq are mutually exclusive"],
      [["token", "price", "-", "--chart", "--sandbox"], "--chart is not available for many inputs"],
      [
        ["token", "owners", token, "--chart-to", "chart.png", "--sandbox"],
        "--chart-to: expected a file name that ends in .svg, got \"chart.png\""
      ]
    ] as const
  )("%s: %s", ([argv, message]) =>
    Effect.gen(function*() {
      const { code, err, out } = yield* quarry(argv)
      expect([code, out]).toEqual([2, ""])
      expect(err).toContain(`error: ${message}`)
      expect(err).toMatch(/hint: /)
    }))

  it.effect("never replace a file without --overwrite, and then read nothing", () =>
    Effect.gen(function*() {
      const file = join(temporaryFolder(), "chart.svg")
      writeFileSync(file, "mine")
      const argv = ["token", "owners", token, "--chart-to", file]
      const { client, sent } = respondingWith("not requested")
      const refused = yield* quarry(argv, { env: sandboxEnvironment, client })
      expect(sent).toEqual([])
      expect(refused.code).toBe(2)
      expect(refused.err).toContain(`error: ${file} exists`)
      expect(refused.err).toContain("--overwrite")
      expect(readFileSync(file, "utf8")).toBe("mine")
      expect((yield* quarry([...argv, "--sandbox", "--overwrite"])).code).toBe(0)
      expect(readFileSync(file, "utf8")).toContain("<svg")
    }))
})
