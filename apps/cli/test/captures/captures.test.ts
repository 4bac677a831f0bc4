/**
 * Golden captures of a real terminal: every command in every output, at three widths, with and without colors, on a
 * terminal and in a pipe. QUARRY_FULL=1 captures all commands, otherwise one of them.
 */
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { exampleValues } from "../../src/help/Help.ts"
import { capture, hasTmux, startTmux, stopTmux } from "./tmux.ts"

const { collection, stream, token, transaction, wallet } = exampleValues

const commands: Readonly<Record<string, string>> = {
  "wallet transfers": `${wallet} --limit 3`,
  "wallet nft-trades": `${wallet} --limit 3`,
  "wallet chains": `${wallet} --chains eth,polygon`,
  "token transfers": `${token} --limit 3`,
  "token owners": `${token} --limit 3`,
  "token price": token,
  "nft list": `${collection} --limit 3`,
  "nft get": `${collection} 1`,
  "nft owners": `${collection} 1`,
  "stream set-status": `${stream} paused`,
  "ledger tx": transaction
}

/** Fields that `--fields` and `--jq` select. */
const fields: Readonly<Record<string, readonly [string, string]>> = {
  "wallet transfers": ["block_number", "value"],
  "wallet nft-trades": ["block_number", "price"],
  "wallet chains": ["address", "active_chains"],
  "token transfers": ["block_number", "value"],
  "token owners": ["owner_address", "balance"],
  "token price": ["tokenSymbol", "nativePrice.value"],
  "nft list": ["token_id", "token_uri"],
  "nft get": ["token_id", "token_uri"],
  "nft owners": ["token_id", "owner_of"],
  "stream set-status": ["id", "status"],
  "ledger tx": ["hash", "vm_status"]
}

const outputsOf = (command: string): ReadonlyArray<string> => {
  const [first, second] = fields[command] ?? ["", ""]
  return [
    "",
    "--wide",
    "-o json",
    "-o ndjson",
    "-o csv",
    `--fields ${first},${second}`,
    `--jq .${first},.${second}`
  ]
}

const screens = [60, 100, 200].flatMap((columns) => [
  { title: `${columns} columns`, columns, variables: { PAGER: "" } },
  { title: `${columns} columns, no colors`, columns, variables: { PAGER: "", NO_COLOR: "1" } }
])

/** Prints what it reads at the end, after all messages on stderr: their order would otherwise be random. */
const reader = `bash -c 'text=$(cat; echo .); printf %s "\${text%.}"'`

const pipes = [
  { title: "in a pipe", columns: 100, suffix: ` | ${reader}`, variables: {} },
  { title: "in a pipe, with colors", columns: 100, suffix: ` --color always | ${reader}`, variables: {} }
]

const visible = (screen: string): string => screen.replaceAll("\u001b", "␛")

/** Runs few captures at a time. */
const inBatches = async <A, B>(
  all: ReadonlyArray<A>,
  run: (item: A) => Promise<B>
): Promise<ReadonlyArray<B>> => {
  const results: Array<B> = []
  const batchSize = 4
  for (let start = 0; start < all.length; start += batchSize) {
    results.push(...await Promise.all(all.slice(start, start + batchSize).map(run)))
  }
  return results
}

/** One record is enough for formats without a layout. */
const argumentsFor = (command: string, output: string): string => {
  const words = commands[command] ?? ""
  return output.startsWith("-o") && output !== "-o table" ? words.replace("--limit 3", "--limit 1") : words
}

const recordPath = (command: string): string =>
  fileURLToPath(new URL(`records/${command.replace(" ", "-")}.txt`, import.meta.url))

const sample = ["wallet transfers"]
const captured = process.env["QUARRY_FULL"] === "1" ? Object.keys(commands) : sample

describe.skipIf(!hasTmux)("in tmux (skipped where tmux is not installed)", () => {
  beforeAll(startTmux)
  afterAll(stopTmux)

  for (const command of captured) {
    it(`prints the recorded screens of quarry ${command}`, async () => {
      const captures = outputsOf(command).flatMap((output) =>
        [
          ...screens.map((screen) => ({ output, screen })),
          // By default a pipe gets NDJSON, which is captured anyway
          ...pipes.map((screen) => ({ output: output === "" ? "-o table" : output, screen }))
        ].map(({ output, screen }) => ({
          line: `${command} ${argumentsFor(command, output)} ${output}`.trimEnd(),
          screen
        }))
      )
      const texts = await inBatches(
        captures,
        async ({ line, screen }) =>
          `$ quarry ${line}\n# ${screen.title}\n${visible(await capture(line, screen))}\n`
      )
      await expect(texts.join("\n")).toMatchFileSnapshot(recordPath(command))
    }, 300_000)
  }

  it("treats a user who quits the pager as success, and prints everything without the pager", async () => {
    const line = `wallet transfers ${wallet} --all --limit 20`
    const quit = await capture(line, { columns: 100, variables: { QUARRY_PAGER: "head -n 3" } })
    expect(quit).toMatch(/^(?:.*\n){4}/)
    expect(quit).toContain("(exit code 0)")
    expect(quit.split("\n").filter((row) => row.includes("…")).length).toBeLessThan(6)
    const missing = await capture(`wallet transfers ${wallet} --limit 20`, {
      columns: 100,
      variables: { PAGER: "no-such-pager" }
    })
    expect(missing).toContain("more transfers available")
    expect(missing.split("\n").length).toBeGreaterThan(20)
    expect(missing).toContain("(exit code 0)")
  })

  it("never wraps a row, and shows values whole with less", async () => {
    for (const columns of [60, 80, 100, 200]) {
      const screen = await capture(`wallet transfers ${wallet} --limit 40`, {
        columns,
        variables: { NO_COLOR: "1", PAGER: "less", LESS: "FRX" }
      })
      const rows = screen.split("\n").filter((row) => /^\d{4}-\d\d-\d\d /.test(row))
      expect(rows).toHaveLength(40)
    }
  })
})
