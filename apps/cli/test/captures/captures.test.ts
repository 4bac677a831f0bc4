/**
 * Golden captures of a real terminal: outputs of one list that depend on it. What each command prints is in
 * ../golden/records.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { exampleValues } from "../../src/help/Help.ts"
import { capture, hasTmux, startTmux, stopTmux } from "../support/tmux.ts"

const { wallet } = exampleValues

const list = `wallet transfers ${wallet} --limit 3`

const narrow = { title: "60 columns", columns: 60, variables: { PAGER: "" } }

/** Prints what it reads at the end, after all messages on stderr: their order would otherwise be random. */
const reader = `bash -c 'text=$(cat; echo .); printf %s "\${text%.}"'`

const pipe = { title: "in a pipe", columns: 100, suffix: ` | ${reader}`, variables: {} }
const coloredPipe = {
  title: "in a pipe, with colors",
  columns: 100,
  suffix: ` --color always | ${reader}`,
  variables: {}
}

/** Colors and widths depend on where the output goes, and not on the command. */
const captures = [
  { line: list, screen: narrow },
  { line: `${list} --wide`, screen: narrow },
  { line: `${list} -o table`, screen: pipe },
  { line: `${list} -o table`, screen: coloredPipe }
]

const visible = (screen: string): string => screen.replaceAll("\u001b", "␛")

describe.skipIf(!hasTmux)("in tmux (skipped where tmux is not installed)", () => {
  beforeAll(startTmux)
  afterAll(stopTmux)

  it("prints the recorded screens of a list", async () => {
    const texts = await Promise.all(
      captures.map(async ({ line, screen }) =>
        `$ quarry ${line}\n# ${screen.title}\n${visible(await capture(line, screen))}\n`
      )
    )
    await expect(texts.join("\n")).toMatchFileSnapshot("records/wallet-transfers.txt")
  })

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
})
