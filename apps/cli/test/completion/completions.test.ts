/** Completions: their candidates, and the scripts of the shells, in which the tests press Tab. */
import { describe, expect, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll } from "vitest"
import { optionsOf } from "../../src/args/CommandDescription.ts"
import { commandLine } from "../../src/commands/Descriptions.build.ts"
import { complete } from "../../src/completion/Complete.ts"
import { completionScript, shells } from "../../src/completion/Scripts.ts"
import { arrange } from "../../src/invocation/Arrange.ts"

const names = {
  profiles: ["default", "work"],
  aliases: new Map([["treasury", "0xba766b2113a53a5900c11859ceca38ca9918c6b4"]])
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

  it("omit no option that the command accepts", () => {
    const names = new Set(
      commandLine.commands.flatMap((command) => optionsOf(commandLine, command)).map(
        ({ name }) => name
      )
    )
    for (const command of commandLine.commands) {
      const own = new Set(optionsOf(commandLine, command).map(({ name }) => name))
      const args = command.arguments.filter(({ optional }) => !optional).map(() => "x")
      for (const name of names) {
        const parsed = arrange(commandLine, [...command.path, ...args, `--${name}=true`]).invocation
        expect(JSON.stringify(parsed).includes("unknown option"), `${command.path.join(" ")} --${name}`)
          .toBe(!own.has(name))
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

  it("are the choices of an option or argument, in every form", async () => {
    expect(await wordsFor("watch wallet transfers --chain polygon-")).toEqual(["polygon-amoy"])
    expect(await wordsFor("watch wallet transfers --chain=polygon-")).toEqual(["--chain=polygon-amoy"])
    expect(await wordsFor("--chain polygon wallet transfers --order a")).toEqual(["asc"])
    expect(await wordsFor("token price -o nd")).toEqual(["ndjson"])
    expect(await wordsFor("stream set-status id pau")).toEqual(["paused"])
    expect(await wordsFor("completions p")).toEqual(["powershell"])
  })

  it("continue comma-separated lists", async () => {
    expect(await wordsFor("wallet chains --chains eth,polygon-")).toEqual(["eth,polygon-amoy", ":nospace"])
    expect(await wordsFor("token price --chain eth,pol")).toEqual(["eth,polygon", ":nospace"])
    expect(await wordsFor("wallet transfers --fields block_number,block_t")).toEqual([
      "block_number,block_timestamp",
      ":nospace"
    ])
  })

  it("are the profiles and aliases of the user", async () => {
    expect(await wordsFor("wallet chains t")).toEqual(["treasury"])
    expect(await wordsFor("wallet chains --profile w")).toEqual(["work"])
  })

  it("are the values of a setting", async () => {
    expect(await wordsFor("config set color a")).toEqual(["auto", "always"])
    expect(await wordsFor("config set utc ")).toEqual(["true", "false"])
    expect(await wordsFor("config set profile w")).toEqual(["work"])
    expect(await wordsFor("config set chain polygon-")).toEqual(["polygon-amoy"])
    expect(await wordsFor("config set nowhere ")).toEqual([])
  })

  it("are shared options before the command is known", async () => {
    expect(await wordsFor("--sand")).toEqual(["--sandbox"])
    expect(await wordsFor("--no-sand")).toEqual(["--no-sandbox"])
  })

  it("let the shell complete files", async () => {
    expect(await wordsFor("wallet transfers --to x")).toEqual([":files"])
  })

  it("are commands and topics after help", async () => {
    expect(await wordsFor("help wallet t")).toEqual(["transfers"])
    expect(await wordsFor("help env")).toEqual(["environment"])
    expect(await wordsFor("hel")).toEqual(["help"])
  })

  it("omit options that are set, and include negations on request", async () => {
    expect(await wordsFor("token price --sandbox --sand")).toEqual([])
    expect(await wordsFor("token price --no-sand")).toEqual(["--no-sandbox"])
  })

  it("are none where nothing can be known", async () => {
    expect(await wordsFor("nowhere ")).toEqual([])
    expect(await wordsFor("token price 0x12 ")).toEqual([])
    expect(await wordsFor("token price --limitless=")).toEqual([])
  })
})

it.each(shells)("explains in the script of %s how to install it", (shell) => {
  expect(completionScript(shell)).toMatch(
    new RegExp(`^(#compdef quarry\n)?# Completions of quarry for ${shell}\\.`)
  )
  expect(completionScript(shell)).toContain("quarry __complete")
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
  const program = fileURLToPath(new URL("../../dist/quarry.js", import.meta.url))
  const script = `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`
  writeFileSync(join(directory, "quarry"), script, { mode: 0o755 })
  mkdirSync(join(directory, "config/quarry"), { recursive: true })
  const aliases = `aliases:\n  treasury: ${names.aliases.get("treasury")}\n`
  writeFileSync(join(directory, "config/quarry/config.yaml"), aliases)
  writeFileSync(join(directory, "exported.csv"), "")
  // Otherwise the server ends with each session, while the next one may connect to it
  spawnSync("tmux", [
    "-L",
    socket,
    "-f",
    "/dev/null",
    "start-server",
    ";",
    "set-option",
    "-s",
    "exit-empty",
    "off"
  ])
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
      const environment = [
        `PATH=${directory}:${process.env["PATH"] ?? ""}`,
        `HOME=${directory}`,
        `XDG_CONFIG_HOME=${directory}/config`,
        `TERM=${process.env["TERM"] ?? "xterm"}`
      ]
      const command = `env -i ${environment.map((variable) => `'${variable}'`).join(" ")} ${start}`
      tmux(
        "-f",
        "/dev/null",
        "new-session",
        "-d",
        "-s",
        shell,
        "-x",
        "120",
        "-y",
        "50",
        "-c",
        directory,
        command
      )
      tmux("send-keys", "-t", shell, "-l", `${load}; echo loaded-"completions"`)
      tmux("send-keys", "-t", shell, "Enter")
      await screenWith(shell, "loaded-completions")
      const lines = [
        ["quarry wallet nft-t", "quarry wallet nft-trades"],
        ["quarry wallet transfers --max-i", "quarry wallet transfers --max-items"],
        ["quarry wallet transfers --chain polygon-a", "--chain polygon-amoy"],
        ["quarry wallet transfers --chain=polygon-a", "--chain=polygon-amoy"],
        ["quarry wallet chains --chains eth,polygon-a", "--chains eth,polygon-amoy"],
        ["quarry token price --fields usdPriceF", "--fields usdPriceFormatted"],
        ["quarry wallet chains treas", "quarry wallet chains treasury"],
        ["quarry watch wallet nft", "quarry watch wallet nft-trades"],
        ["quarry wallet transfers -o nd", "quarry wallet transfers -o ndjson"],
        ["quarry wallet transfers --fields=block_number,block_t", "--fields=block_number,block_timestamp"],
        ["quarry wallet transfers --to expo", "quarry wallet transfers --to exported.csv"],
        ["quarry wallet transfers --to=expo", "quarry wallet transfers --to=exported.csv"],
        ["quarry man --to=conf", "quarry man --to=config/"],
        ["quarry config set color alw", "quarry config set color always"],
        ["quarry stream set-status id pau", "quarry stream set-status id paused"]
      ] as const
      for (const [typed, completed] of lines) {
        tmux("send-keys", "-t", shell, "-l", typed)
        tmux("send-keys", "-t", shell, "Tab")
        await screenWith(shell, completed)
        // Clears the line
        tmux("send-keys", "-t", shell, "C-u")
      }
      tmux("send-keys", "-t", shell, "-l", "exit")
      tmux("send-keys", "-t", shell, "Enter")
      // The shell may still write to its home directory
      while (spawnSync("tmux", ["-L", socket, "has-session", "-t", shell]).status === 0) continue
    }
  )
}
