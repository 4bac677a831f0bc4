/**
 * Runs every code block of the documentation: of the pages of the site, of the READMEs, and the examples of doc comments.
 *
 * `checks` has one function for each language. Comments above a block have what a reader adds:
 *
 * - `<!-- setup: … -->` runs in a shell before the block.
 * - `<!-- then: … -->` follows a program, for example a call of its function.
 * - `<!-- output of: … -->` is the command that prints a text. Digits may differ, and `…` is any text. `the program` is the one
 *   above it.
 *
 * In programs, `console.log(…) // text` prints this line, in which `…` is any text. In scripts, `# exit status N` expects this status.
 */
import * as Blockquarry from "@blockquarry/http/Blockquarry"
import type { DataApi } from "@blockquarry/http/DataApi"
import type { LedgerApi } from "@blockquarry/http/LedgerApi"
import type { StreamsApi } from "@blockquarry/http/StreamsApi"
import * as Ledger from "@blockquarry/sandbox/Ledger"
import * as Sandbox from "@blockquarry/sandbox/Sandbox"
import * as SandboxServer from "@blockquarry/sandbox/Server"
import type { HttpClient } from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { rootCertificates } from "node:tls"
import { fileURLToPath, pathToFileURL } from "node:url"
import { format, promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { sample } from "../../packages/core/test/support/sample.ts"
import { sitePages } from "../src/Site.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

interface Sample {
  readonly name: string
  readonly page: string
  readonly language: string
  readonly code: string
  readonly setup: string
  readonly then: string
  readonly outputOf: string
}

interface Document {
  readonly path: string
  readonly text: string
}

/** The code blocks of a document. */
const samplesOf = ({ path, text }: Document): ReadonlyArray<Sample> => {
  const counts = new Map<string, number>()
  const blocks = text.matchAll(/((?:^ *<!--(?:(?!-->)[^])*-->\n+)*)^( *)```(\w*)[^\n]*\n([^]*?)^\2```$/gm)
  return [...blocks].map(([, comments = "", indent = "", language = "", code = ""]) => {
    const comment = (name: string) => new RegExp(`<!-- ${name}:\\s([^]*?) -->`).exec(comments)?.[1] ?? ""
    const count = (counts.get(language) ?? 0) + 1
    counts.set(language, count)
    return {
      name: `${path}, ${language} ${count}`,
      page: path,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      setup: comment("setup"),
      then: comment("then"),
      outputOf: comment("output of")
    }
  })
}

/** The examples of the doc comments of a module. */
const examplesOf = ({ path, text }: Document): ReadonlyArray<Sample> =>
  [...text.matchAll(/^ ?\* @example\n((?: ?\*(?! @|\/).*\n)+)/gm)].map(([, code = ""], index) => ({
    name: `${path}, example ${index + 1}`,
    page: path,
    language: "ts",
    code: code.replace(/^ ?\* ?/gm, "").replace(/^```.*$/gm, ""),
    setup: "",
    then: "",
    outputOf: ""
  }))

const read = (path: string): Document => ({ path, text: readFileSync(join(root, path), "utf8") })

const sourcesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `${folder}/src/${file.replaceAll("\\", "/")}`)

const libraries = ["core", "http", "redis", "sandbox", "client"].map((name) => `packages/${name}`)
const documents = [
  // The files of examples have tests of their own
  ...(await Effect.runPromise(sitePages(root))).map(({ path, text }) => ({
    path,
    text: text.replaceAll(/<!-- a file of the example -->\n\n```[^]*?^```$/gm, "")
  })),
  ...["README.md", ...[...libraries, "apps/cli", "apps/proxy"].map((folder) => `${folder}/README.md`)].map(
    read
  )
]
const samples = [
  ...documents.flatMap(samplesOf),
  ...libraries.flatMap(sourcesIn).map(read).flatMap(examplesOf)
]

/** Samples that do not run here, and why. */
const notRun: Readonly<Record<string, string>> = {
  "examples/hono.md, ts 1": "imports a file of the example, whose test runs it",
  "examples/export.md, text 1": "a line of a crontab; its command runs above it",
  "cli/diagnostics.md, text 1": "shows the times of a request that failed once"
}

// All are made before the tests: listing the tests makes nothing
let folder = ""
let temporary = ""
let proxyOrigin = ""
const scope = Effect.runSync(Scope.make())

const addFinalizer = (finalizer: () => Promise<unknown> | void): Promise<void> =>
  Effect.runPromise(Scope.addFinalizer(scope, Effect.promise(async () => finalizer())))

const makeFolder = async (prefix: string): Promise<string> => {
  const path = mkdtempSync(prefix)
  await addFinalizer(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }))
  return path
}

beforeAll(async () => {
  // Below the site, where the packages are found
  folder = await makeFolder(join(root, "site/.examples-"))
  temporary = await makeFolder(join(tmpdir(), "quarry-samples-"))
  await startProxy()
  const { urls } = await Effect.runPromise(
    SandboxServer.serve().pipe(Effect.provide(Sandbox.layerSandbox()), Scope.extend(scope))
  )
  for (const [name, value] of Object.entries(environmentOf(urls))) vi.stubEnv(name, value)
  writePrograms(urls.data)
  linkCommands()
})

afterAll(async () => {
  vi.unstubAllEnvs()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

const environmentOf = (urls: SandboxServer.ServerInfo["urls"]): Readonly<Record<string, string>> => ({
  QUARRY_API_KEY: Sandbox.apiKey,
  QUARRY_BASE_URL: urls.data,
  QUARRY_STREAMS_URL: urls.streams,
  QUARRY_LEDGER_URL: urls.ledger,
  QUARRY_LEDGER_TESTNET_URL: urls.ledger,
  // No Redis is there: the limits and the cache of a process continue without it
  QUARRY_REDIS_URL: "redis://127.0.0.1:1"
})

const startProxy = async (): Promise<void> => {
  const program = join(root, "apps/proxy/dist/quarry-proxy.js")
  const proxy = spawn(process.execPath, [program, "--sandbox", "--port", "0", "--admin", "off"], {
    stdio: ["ignore", "pipe", "pipe"]
  })
  const exit = once(proxy, "exit")
  await addFinalizer(() => {
    proxy.kill("SIGKILL")
    return exit
  })
  let stderr = ""
  proxy.stderr.on("data", (data) => stderr += data)
  for await (const line of createInterface(proxy.stdout)) {
    proxyOrigin = /is listening at (\S+)/.exec(line)?.[1] ?? ""
    if (proxyOrigin !== "") break
  }
  expect(proxyOrigin, `quarry-proxy does not listen: ${stderr}`).not.toBe("")
}

// Programs

const { token, transaction } = Ledger.make().examples
/** What a reader replaces. */
const placeholders: ReadonlyArray<readonly [string | RegExp, string]> = [
  [`txn_hash: "0x…"`, `txn_hash: "${transaction}"`],
  [`"0x…", chain: "polygon"`, `"0x9414219ea0ec0585ff1213b3b602a36d2032a935", chain: "polygon"`],
  [`"0x…"`, `"${token}"`],
  [`apiKey: "…"`, `apiKey: "${Sandbox.apiKey}"`],
  [`make("…")`, `make("${Sandbox.apiKey}")`],
  // To see and to run them
  [/^(?!console)([\w.]+\(.*\))(?= \/\/|$)/gm, "console.log($1)"],
  [/^const (?=\w+ =)/gm, "export const "]
]

const fileOf = ({ name }: Sample, ending: string): string =>
  join(folder, `${name.replace(/\W/g, "_")}.${ending}`)

const writePrograms = (baseUrl: string): void => {
  for (
    const sample of samples.filter(({ language, name }) => language === "ts" && notRun[name] === undefined)
  ) {
    const code = [[`"https://…"`, `"${baseUrl}"`] as const, ...placeholders]
      .reduce((code, [from, to]) => code.replaceAll(from, to), sample.code)
    writeFileSync(fileOf(sample, "ts"), `${code}\n${sample.then}\nexport {}\n`)
  }
  writeFileSync(join(folder, "ca.pem"), rootCertificates[0] ?? "")
}

type Services = DataApi | StreamsApi | LedgerApi | HttpClient | Sandbox.Sandbox | Scope.Scope

const services = Blockquarry.layer({
  apiKey: Redacted.make(Sandbox.apiKey),
  baseUrls: Sandbox.baseUrls
}).pipe(Layer.provideMerge(Sandbox.layer()))

const isEffect = (value: unknown): value is Effect.Effect<unknown, unknown, Services> =>
  Effect.isEffect(value)
const isLayer = (value: unknown): value is Layer.Layer<unknown, unknown, Services> => Layer.isLayer(value)
const isClosable = (value: unknown): value is { readonly close: () => Promise<void> } =>
  typeof value === "object" && value !== null && "close" in value && typeof value.close === "function"

/** The pattern of a text in which `…` is any text. */
const patternOf = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("…", ".*")

/** What the last program of a page has printed. */
const printedBy = new Map<string, string>()

const runProgram = async (sample: Sample): Promise<void> => {
  let printed = ""
  const log = vi.spyOn(globalThis.console, "log").mockImplementation((...values) => {
    printed += `${format(...values)}\n`
  })
  const directory = process.cwd()
  process.chdir(folder)
  try {
    const exported: Readonly<Record<string, unknown>> = await import(
      pathToFileURL(fileOf(sample, "ts")).href
    )
    const values = Object.values(exported)
    expect([printed, ...values]).not.toEqual([""])
    // A program that prints nothing leaves it to the reader to run what it defines
    if (printed === "") {
      const effects = values.flatMap((value) =>
        isEffect(value) ? [value] : isLayer(value) ? [Layer.build(value)] : []
      )
      for (const effect of effects) {
        await Effect.runPromise(effect.pipe(Effect.scoped, Effect.provide(services)))
      }
    }
    for (const value of values.filter(isClosable)) await value.close()
  } finally {
    process.chdir(directory)
    log.mockRestore()
  }
  printedBy.set(sample.page, printed)
  for (const [, text = ""] of `${sample.code}\n${sample.then}`.matchAll(/^ *\S.*\) \/\/ "?(.+?)"?$/gm)) {
    expect(printed.split("\n")).toContainEqual(expect.stringMatching(new RegExp(`^${patternOf(text)}$`)))
  }
}

/** A program in JavaScript in its own process, as its packages expect. */
const runScriptFile = async (sample: Sample): Promise<void> => {
  const file = fileOf(sample, "mjs")
  writeFileSync(file, sample.code)
  const { stdout } = await promisify(execFile)(process.execPath, [file])
  expect(Number(stdout)).toBeGreaterThan(0)
}

// Scripts

const commands = fileURLToPath(new URL("support/commands.sh", import.meta.url))

const linkCommands = (): void => {
  mkdirSync(join(temporary, "bin"))
  for (const [, names = ""] of readFileSync(commands, "utf8").matchAll(/^([a-z |-]+)\)$/gm)) {
    for (const name of names.split(" | ")) symlinkSync(commands, join(temporary, "bin", name))
  }
}

/** Runs a script in an empty folder, until it ends; servers that it started end with it. */
const runScript = (script: string): Promise<{ readonly stdout: string; readonly stderr: string }> =>
  new Promise((resolve, reject) => {
    const work = mkdtempSync(join(temporary, "work-"))
    const cwd = join(work, "project")
    for (const name of ["project", "home"]) mkdirSync(join(work, name))
    for (const path of ["apps/proxy/deploy", "examples/compose"].filter((path) => script.includes(path))) {
      cpSync(join(root, path), join(cwd, path), { recursive: true })
    }
    const child = spawn("bash", ["-e", "-o", "pipefail", "-c", script], {
      cwd,
      detached: true,
      env: {
        PATH: `${join(temporary, "bin")}:${process.env["PATH"] ?? ""}`,
        HOME: join(work, "home"),
        LANG: "C.UTF-8",
        EDITOR: "ls",
        NODE: process.execPath,
        PROXY: proxyOrigin,
        REPOSITORY: root,
        WORK: work,
        QUARRY_SANDBOX: "1",
        QUARRY_PROXY_PORT: "0",
        QUARRY_PROXY_ADMIN: "off"
      },
      stdio: ["pipe", "pipe", "pipe"]
    })
    let stdout = ""
    let stderr = ""
    child.stdout.on("data", (data) => stdout += data)
    child.stderr.on("data", (data) => stderr += data)
    // What a command asks a user for is an API key
    child.stdin.on("error", () => {}).end(`${Sandbox.apiKey}\n`)
    child.on("exit", () => {
      try {
        process.kill(-(child.pid ?? 0), "SIGKILL")
      } catch {
        // All processes have ended
      }
    })
    child.on("close", (code) => {
      if (code === 0) resolve({ stdout, stderr })
      else reject(new Error(`exit status ${code} of\n${script}\n${stdout.slice(-2000)}\n${stderr}`))
    })
  })

const toScriptLine = (line: string): string => {
  const [, failing, status] = /^(.*\S)\s+# exit status (\d+)$/.exec(line) ?? []
  return failing === undefined ? line : `{ ${failing}; } && exit 99 || [ $? -eq ${status} ]`
}

const runShell = async ({ code, setup }: Sample): Promise<void> => {
  const { stdout } = await runScript(
    [setup, ...code.trimEnd().split("\n").map(toScriptLine)].join("\n")
  )
  // The calls of a script print their records, unless they go to a file
  if (/^(curl|quarry (token|wallet|nft|stream|ledger))\b(?!.*( --to |>|# exit status))/m.test(code)) {
    expect(stdout.trim()).not.toBe("")
  }
}

// Texts

const outputMatching = (text: string): RegExp =>
  new RegExp(
    patternOf(text.trim()).replace(/\d+/g, "\\d+")
  )

const outputOf = async ({ name, outputOf, setup }: Sample): Promise<string> => {
  expect(outputOf, `<!-- output of: COMMAND --> of ${name}`).not.toBe("")
  const { stderr, stdout } = await runScript(`${setup}\n{ ${outputOf}; } || true`)
  return `${stdout}${stderr}`
}

const checkText = async (sample: Sample): Promise<void> => {
  const output = sample.outputOf === "the program" ? printedBy.get(sample.page) : await outputOf(sample)
  expect(output).toMatch(outputMatching(sample.code))
}

/** A response of the sandbox, or lines that a command prints. */
const checkJson = async (sample: Sample): Promise<void> => {
  if (sample.outputOf === "") return expect(JSON.parse(sample.code)).toBeTypeOf("object")
  const output = await outputOf(sample)
  for (const line of sample.code.trim().split("\n")) {
    expect(output).toMatch(outputMatching(JSON.stringify(JSON.parse(line))))
  }
}

/** A file, which the command beside it reads. */
const checkFile = async ({ code, name, setup, then }: Sample): Promise<void> => {
  expect(then, `<!-- then: COMMAND --> of ${name}`).not.toBe("")
  const file = join(temporary, name.replace(/\W/g, "_"))
  writeFileSync(file, code)
  await runScript(`${setup}\nFILE='${file}'\n${then}`)
}

const checks: Readonly<Record<string, (sample: Sample) => Promise<void>>> = {
  ts: runProgram,
  js: runScriptFile,
  sh: runShell,
  json: checkJson,
  text: checkText,
  yaml: checkFile,
  sql: checkFile
}

const runSamples = (chosen: ReadonlyArray<Sample>): void => {
  for (const each of chosen.filter(({ name }) => notRun[name] === undefined)) {
    it(each.name, async () => {
      const check = checks[each.language]
      if (check === undefined) return expect.unreachable(`no check for "${each.language}"`)
      await check(each)
    })
  }
}

describe("programs", () => {
  it("compile", async () => {
    const options = {
      extends: "../../tsconfig.base.json",
      include: ["*.ts"],
      compilerOptions: {
        composite: false,
        declaration: false,
        emitDeclarationOnly: false,
        declarationMap: false,
        noEmit: true,
        noUnusedLocals: false,
        types: ["node"],
        plugins: []
      }
    }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options))
    const args = [join(root, "scripts/tsc.mjs"), "--singleThreaded", "-p", folder]
    const result = await promisify(execFile)(process.execPath, args)
      .then(() => "compiled", (error: { readonly stdout: string }) => error.stdout)
    expect(result).toBe("compiled")
  })

  // They share the environment and the console
  runSamples(samples.filter(({ language }) => language === "ts"))
})

describe.concurrent("scripts and texts", () => {
  // Most of them start the programs
  runSamples(sample(samples.filter(({ language }) => language !== "ts"), 10))
})

it("samples that do not run exist", () => {
  const names = new Set(samples.map(({ name }) => name))
  expect(Object.keys(notRun).filter((name) => !names.has(name))).toEqual([])
})

it("every code block is a sample", () => {
  const fences = ({ text }: Document) => text.match(/^ *```/gm)?.length ?? 0
  expect(documents.filter((document) => 2 * samplesOf(document).length !== fences(document))).toEqual([])
})
