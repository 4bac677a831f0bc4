/** Completions: their candidates, and the scripts of the shells, in which the tests press Tab. */
import { describe, expect, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
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

const has = (program: string): boolean => spawnSync(program, ["-V"]).error === undefined

const directory = mkdtempSync(join(tmpdir(), "quarry-"))
const socket = `quarry-test-${process.pid}`

beforeAll(() => {
  const script = `#!/bin/sh\nexec ${shellProgram} "$@"\n`
  writeFileSync(join(directory, "quarry"), script, { mode: 0o755 })
  mkdirSync(join(directory, "config/quarry"), { recursive: true })
  const aliases = `aliases:\n  treasury: ${names.addressBook.resolve("treasury")}\n`
  writeFileSync(join(directory, "config/quarry/config.yaml"), aliases)
  writeFileSync(join(directory, "exported.csv"), "")
  // Otherwise the server ends with each session, while the next one may connect to it
  tmux(..."-f /dev/null start-server ; set-option -s exit-empty off".split(" "))
})
afterAll(() => {
  spawnSync("tmux", ["-L", socket, "kill-server"])
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
})

const tmux = (...args: ReadonlyArray<string>): string =>
  execFileSync("tmux", ["-L", socket, ...args], { encoding: "utf8" })

/** Reads the screen until it contains a text. The timeout of the test ends the wait. */
const screenWith = async (session: string, text: string): Promise<void> => {
  while (!tmux("capture-pane", "-p", "-t", session).includes(text)) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}

// The tests say which program is missing
for (const [shell, { load, start }] of Object.entries(interactive)) {
  const missing = ["tmux", shell].filter((program) => !has(program))
  const reason = missing.length === 0 ? "" : ` (not installed: ${missing.join(", ")})`
  it.skipIf(missing.length > 0)(
    `${shell} completes a command line when Tab is pressed${reason}`,
    async () => {
      const typeLine = (line: string) => {
        tmux("send-keys", "-t", shell, "-l", line)
        tmux("send-keys", "-t", shell, "Enter")
      }
      const environment = [
        `PATH=${directory}:${process.env["PATH"] ?? ""}`,
        `HOME=${directory}`,
        `XDG_CONFIG_HOME=${directory}/config`,
        `TERM=${process.env["TERM"] ?? "xterm"}`
      ]
      const command = `env -i ${environment.map((variable) => `'${variable}'`).join(" ")} ${start}`
      tmux(...`-f /dev/null new-session -d -s ${shell} -x 120 -y 50 -c ${directory}`.split(" "), command)
      typeLine(`${load}; echo loaded-"completions"`)
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
        tmux("send-keys", "-t", shell, "-l", typed)
        tmux("send-keys", "-t", shell, "Tab")
        await screenWith(shell, completed)
        // Clears the line
        tmux("send-keys", "-t", shell, "C-u")
      }
      typeLine("exit")
      // The shell may still write to its home directory
      while (spawnSync("tmux", ["-L", socket, "has-session", "-t", shell]).status === 0) continue
    }
  )
}
