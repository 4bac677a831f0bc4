/** Completions: their candidates, and the scripts of the shells, in which the tests press Tab. */
import { describe, expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { optionsOf } from "../../src/args/CommandDescription.ts"
import { commandLine } from "../../src/commands/Descriptions.build.ts"
import { complete } from "../../src/completion/Complete.ts"
import * as AddressBook from "../../src/config/AddressBook.ts"
import { arrange } from "../../src/invocation/Arrange.ts"
import { shellProgram } from "../support/process.ts"
import { hasTmux, startTmux, stopTmux, tmux } from "../support/tmux.ts"

const names = {
  profiles: ["default", "work"],
  addressBook: AddressBook.make(new Map([["treasury", "0xba766b2113a53a5900c11859ceca38ca9918c6b4"]]))
}

/** Returns the words that complete a command line, whose last word is incomplete. */
const wordsFor = async (line: string): Promise<ReadonlyArray<string>> => {
  const words = line.split(" ")
  const text = await complete(
    commandLine,
    [`=${words.at(-1)}`, ...words.slice(0, -1)],
    () => Promise.resolve(names)
  )
  return text.split("\n").filter((line) => line !== "").map((line) => line.split("\t")[0] ?? "")
}

describe("candidates", () => {
  it("are the commands at every depth", async () => {
    for (const { path } of commandLine.commands) {
      for (const [depth, word] of path.entries()) {
        expect(await wordsFor([...path.slice(0, depth), ""].join(" ")), path.join(" ")).toContain(word)
      }
    }
  })

  it("are exactly the options of the command", async () => {
    for (const command of commandLine.commands) {
      const words = await wordsFor(`${command.path.join(" ")} --`)
      expect(words).toEqual(optionsOf(commandLine, command).map(({ name }) => `--${name}`))
      for (const word of words) {
        const parsed = arrange(commandLine, [...command.path, word]).invocation
        expect(JSON.stringify(parsed)).not.toContain("unknown option")
      }
    }
  })

  it.each([
    // Choices of an option or argument, in every form
    ["watch wallet transfers --chain polygon-", ["polygon-amoy"]],
    ["watch wallet transfers --chain=polygon-", ["--chain=polygon-amoy"]],
    ["--chain polygon wallet transfers --order a", ["asc"]],
    ["token price -o nd", ["ndjson"]],
    ["stream set-status id pau", ["paused"]],
    ["completions p", ["powershell"]],
    // The last item of a comma-separated list
    ["wallet chains --chains eth,polygon-", ["eth,polygon-amoy", ":nospace"]],
    ["token price --chain eth,pol", ["eth,polygon", ":nospace"]],
    ["wallet transfers --fields block_number,block_t", ["block_number,block_timestamp", ":nospace"]],
    // Profiles and aliases of the user
    ["wallet chains t", ["treasury"]],
    ["wallet chains --profile w", ["work"]],
    // Values of a setting
    ["config set color a", ["auto", "always"]],
    ["config set utc ", ["true", "false"]],
    ["config set profile w", ["work"]],
    ["config set chain polygon-", ["polygon-amoy"]],
    ["config set nowhere ", []],
    // Options that are not set yet, also before the command is known, and negations on request
    ["--sand", ["--sandbox"]],
    ["--no-sand", ["--no-sandbox"]],
    ["token price --sandbox --sand", []],
    ["token price --no-sand", ["--no-sandbox"]],
    // Files, which the shell completes
    ["wallet transfers --to x", [":files"]],
    // Commands and topics after help
    ["help wallet t", ["transfers"]],
    ["help env", ["environment"]],
    ["hel", ["help"]],
    // Nothing is known
    ["nowhere ", []],
    ["token price 0x12 ", []],
    ["token price --limitless=", []]
  ])("complete %j with %j", async (line, words) => {
    expect(await wordsFor(line)).toEqual(words)
  })
})

/** Interactive shells without the configuration of the user, and how they load the completions. */
const interactive = {
  bash: { start: "bash --norc --noprofile -i", load: "source <(quarry completions bash)" },
  zsh: {
    start: "zsh -f -i",
    load: "autoload -Uz compinit; compinit -u -D; source <(quarry completions zsh)"
  },
  fish: { start: "fish --no-config -i", load: "quarry completions fish | source" }
} as const

const directory = mkdtempSync(join(tmpdir(), "quarry-"))

beforeAll(async () => {
  const script = `#!/bin/sh\nexec ${shellProgram} "$@"\n`
  writeFileSync(join(directory, "quarry"), script, { mode: 0o755 })
  mkdirSync(join(directory, "config/quarry"), { recursive: true })
  const aliases = `aliases:\n  treasury: ${names.addressBook.resolve("treasury")}\n`
  writeFileSync(join(directory, "config/quarry/config.yaml"), aliases)
  writeFileSync(join(directory, "exported.csv"), "")
  if (hasTmux) await startTmux()
})
afterAll(async () => {
  await stopTmux()
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
})

/** Reads the screen until it contains a text. The timeout of the test ends the wait. */
const screenWith = async (session: string, text: string): Promise<void> => {
  while (!(await tmux("capture-pane", "-p", "-t", session)).includes(text)) continue
}

for (const [shell, { load, start }] of Object.entries(interactive)) {
  const isInstalled = hasTmux && spawnSync(shell, ["--version"]).error === undefined
  it.skipIf(!isInstalled)(
    `${shell} completes a command line when Tab is pressed (skipped where it or tmux is not installed)`,
    async () => {
      const type = (text: string, key: string) => tmux("send-keys", "-t", shell, text, key)
      const environment = [
        `PATH=${directory}:${process.env["PATH"] ?? ""}`,
        `HOME=${directory}`,
        `XDG_CONFIG_HOME=${directory}/config`,
        `TERM=${process.env["TERM"] ?? "xterm"}`
      ]
      const command = `env -i ${environment.map((variable) => `'${variable}'`).join(" ")} ${start}`
      await tmux(...`new-session -d -s ${shell} -x 120 -y 50 -c ${directory}`.split(" "), command)
      await type(`${load}; echo loaded-"completions"`, "Enter")
      await screenWith(shell, "loaded-completions")
      const lines = [
        ["quarry wallet nft-t", "quarry wallet nft-trades"],
        ["quarry wallet transfers --chain polygon-a", "--chain polygon-amoy"],
        ["quarry wallet transfers --chain=polygon-a", "--chain=polygon-amoy"],
        ["quarry wallet chains treas", "quarry wallet chains treasury"],
        ["quarry wallet transfers --fields=block_number,block_t", "--fields=block_number,block_timestamp"],
        ["quarry wallet transfers --to expo", "quarry wallet transfers --to exported.csv"],
        ["quarry wallet transfers --to=expo", "quarry wallet transfers --to=exported.csv"],
        ["quarry man --to=conf", "quarry man --to=config/"]
      ] as const
      for (const [typed, completed] of lines) {
        await type(typed, "Tab")
        await screenWith(shell, completed)
        // Clears the line
        await type("", "C-u")
      }
      await type("exit", "Enter")
      // The shell may still write to its home directory
      while ((await tmux("list-sessions")).includes(`${shell}:`)) continue
    }
  )
}
