/** Manual pages. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { optionsOf } from "../../src/args/CommandDescription.ts"
import { commandLine } from "../../src/commands/Descriptions.build.ts"
import { allPages, commandPage } from "../../src/help/ManPages.ts"
import { quarry } from "../support/quarry.ts"

const hasMandoc = spawnSync("mandoc", ["-W", "help"]).error === undefined

describe("manual pages", () => {
  it("describe every option of every command", () => {
    for (const command of commandLine.commands) {
      const { text } = commandPage(commandLine, command)
      for (const { name } of optionsOf(commandLine, command)) {
        expect(text, command.path.join(" ")).toContain(`\\-\\-${name.replaceAll("-", "\\-")}`)
      }
    }
  })

  it.skipIf(!hasMandoc)(`have no warnings${hasMandoc ? "" : " (not installed: mandoc)"}`, () => {
    for (const { file, text } of allPages(commandLine)) {
      const { stdout } = spawnSync("mandoc", ["-man", "-T", "lint", "-W", "warning"], {
        input: text,
        encoding: "utf8"
      })
      // Pages have no date, so that they are the same whenever they are made
      expect(stdout.split("\n").filter((line) => line !== "" && !/missing date/.test(line)), file).toEqual([])
    }
  })

  it.live("are printed for one command, or written to a directory", () =>
    Effect.gen(function*() {
      const page = yield* quarry(["man", "wallet", "transfers"])
      expect(page).toMatchObject({ code: 0, out: expect.stringContaining(".TH QUARRY-WALLET-TRANSFERS 1") })
      const directory = mkdtempSync(join(tmpdir(), "quarry-"))
      const target = join(directory, "share/man1")
      expect(yield* quarry(["man", "--to", target])).toMatchObject({ code: 0, out: "" })
      expect(readdirSync(target).sort()).toEqual(allPages(commandLine).map(({ file }) => file).sort())
      expect(readFileSync(join(target, "quarry-wallet-transfers.1"), "utf8")).toBe(page.out)
      const file = yield* quarry(["man", "--to", join(target, "quarry.1")])
      expect(file).toMatchObject({ code: 1, err: expect.stringContaining("cannot write") })
      rmSync(directory, { recursive: true, force: true })
    }))
})
