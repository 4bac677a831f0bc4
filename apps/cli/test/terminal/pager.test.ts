/** The pager of lists at a real terminal. What depends on the width and colors of a terminal is in ../golden/records. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { exampleValues } from "../../src/help/Help.ts"
import { capture, hasTmux, startTmux, stopTmux } from "../support/tmux.ts"

const { wallet } = exampleValues

describe.skipIf(!hasTmux)("in tmux (skipped where tmux is not installed)", () => {
  beforeAll(startTmux)
  afterAll(stopTmux)

  it("treats a user who quits the pager as success, and prints everything without the pager", async () => {
    const line = `wallet transfers ${wallet} --all --limit 20`
    const quit = await capture(line, { QUARRY_PAGER: "head -n 3" })
    expect(quit).toMatch(/^(?:.*\n){4}/)
    expect(quit).toContain("(exit code 0)")
    expect(quit.split("\n").filter((row) => row.includes("…")).length).toBeLessThan(6)
    const missing = await capture(`wallet transfers ${wallet} --limit 20`, { PAGER: "no-such-pager" })
    expect(missing).toContain("more transfers available")
    expect(missing.split("\n").length).toBeGreaterThan(20)
    expect(missing).toContain("(exit code 0)")
  })
})
