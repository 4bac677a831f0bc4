// consumers.mjs [--sample]: installs the archives of packaging.mjs into empty projects as a user does, and uses them there: type
// checks, programs of the READMEs, bundles, commands. Prints a table, and fails if a row fails. With --sample, one version of
// each tool.
import { spawn } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { pathToFileURL } from "node:url"
import { gzipSync } from "node:zlib"
import { html, pageText } from "./consumers/browser.mjs"
import { startCallers } from "./consumers/callers.mjs"
import { assert, run } from "./consumers/common.mjs"
import { hover } from "./consumers/hover.mjs"
import { startNetwork } from "./consumers/network.mjs"
import { installCommand } from "./manifests.mjs"
import { publishedPackages, root } from "./release/workspace.mjs"

const isSample = process.argv.includes("--sample")
const temporary = mkdtempSync(join(tmpdir(), "blockquarry-consumers-"))
const archives = join(root, "node_modules/.cache/archives")
const packages = publishedPackages(root).map(({ folder, manifest }) => ({
  folder,
  manifest,
  name: String(manifest.name),
  archive: join(archives, `${basename(folder)}.tgz`)
}))
const libraries = packages.filter(({ manifest }) => manifest.bin === undefined)

/** @type {Array<{ readonly check: string, readonly version: string, readonly result: string, readonly ok: boolean }>} */
const rows = []

/**
 * Adds a row for a check, whose result says what was seen.
 *
 * @param {string} check
 * @param {string} version
 * @param {() => string | Promise<string>} run
 */
const row = async (check, version, run) => {
  try {
    rows.push({ check, version, result: await run(), ok: true })
  } catch (error) {
    const { message, stderr = "", stdout = "" } = Object(error)
    rows.push({ check, version, result: String(message).split("\n")[0] ?? "", ok: false })
    console.error(`${check}, ${version}: ${message}\n${stdout}${stderr}\n`)
  }
}

/**
 * Installs packages with npm into a new project.
 *
 * @param {string} name
 * @param {ReadonlyArray<string>} specifiers
 */
const install = async (name, specifiers) => {
  const folder = join(temporary, name)
  mkdirSync(folder)
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, private: true, type: "module" }))
  const options = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
  await run(folder, "npm", ["install", ...options, ...specifiers])
  return folder
}

/** @param {number} bytes */
const kilobytesOf = (bytes) => Math.ceil(bytes / 100) / 10

/**
 * The size of a text after gzip.
 *
 * @param {string | Buffer} text
 */
const kilobytes = (text) => kilobytesOf(gzipSync(text).byteLength)

/**
 * @param {number} size in kB
 * @param {number | undefined} budget
 */
const within = (size, budget) => {
  assert(budget !== undefined && size <= budget, `${size} kB, budget ${budget} kB`)
  return `${size} kB of ${budget} kB`
}

/**
 * Budgets of archives, in kB.
 *
 * @type {Readonly<Record<string, number>>}
 */
const archiveBudgets = {
  "@blockquarry/cli": 1022,
  "@blockquarry/client": 262,
  "@blockquarry/core": 144,
  "@blockquarry/http": 235,
  "@blockquarry/proxy": 616,
  "@blockquarry/redis": 47,
  "@blockquarry/sandbox": 106
}

/** The size of the client, which is in its documentation. */
const clientBudget = Number(
  /takes at most (\d+) kB/.exec(readFileSync(join(root, "docs/client.md"), "utf8"))?.[1]
)

/**
 * Entries with budgets in kB, as esbuild bundles them for browsers, minified and after gzip: with everything, and without Effect and
 * its platform, which a program may have already.
 */
const entries = [
  { code: `export { tokenPrice } from "@blockquarry/core/operations/tokenPrice"`, budget: 65, own: 8 },
  { code: `export { layer } from "@blockquarry/http/DataApi"`, budget: 137, own: 56 },
  { code: `export * as Http from "@blockquarry/http"`, budget: 147, own: 64 },
  { code: `export { layer } from "@blockquarry/sandbox/Sandbox"`, budget: 131, own: 45 },
  { code: `export { createClient } from "@blockquarry/client"`, budget: clientBudget, own: clientBudget },
  { code: `export { formatUnits } from "@blockquarry/client"`, budget: 2, own: 2 }
]

/** @param {string} folder */
const readmeOf = (folder) => readFileSync(join(folder, "README.md"), "utf8")

const readme = readmeOf(root)

/** @param {string} text of a README */
const programsOf = (text) => [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = ""]) => code)

/** The programs of the READMEs, in TypeScript. */
const programs = libraries.flatMap(({ folder, name }) =>
  programsOf(readmeOf(folder)).map((code, index) => ({
    name: `${name.slice(name.indexOf("/") + 1)}${index === 0 ? "" : index + 1}`,
    code
  }))
)

/** A program in CommonJS, which the supported versions of Node.js can run. */
const commonJs = `
import core = require("@blockquarry/core")
console.log(core.Amount.formatUnits(15n, 1))
`

/** Needs a Redis server. */
const onlyCompiled = ["redis"]

/** These programs need no HTTP client of Node.js. */
const portable = programs.filter(({ name }) => !["http", ...onlyCompiled].includes(name))

/** These programs need no network: they run in browsers, too. */
const offline = programs.filter(({ code }) => /"@blockquarry\/(client\/)?sandbox/.test(code))

/** @param {string} specifier */
const latest = async (specifier) =>
  [...JSON.parse(await run(temporary, "npm", ["view", specifier, "version", "--json"]))]
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1)

/**
 * Checks what a program of a README prints.
 *
 * @param {string} name
 * @param {string} text
 */
const checkOutput = (name, text) => {
  const expected = name === "sandbox" ? /^Quarry Dollar: [\d.]+ USD after 2 requests$/ : /^(?!error: )./
  assert(expected.test(text), `${name} printed: ${text}`)
}

/**
 * Starts a server, calls `use` with its origin when it prints one, and stops it.
 *
 * @template A
 * @param {string} node
 * @param {ReadonlyArray<string>} args
 * @param {(origin: string) => Promise<A>} use
 */
const withServer = async (node, args, use) => {
  const child = spawn(node, args, { cwd: temporary, stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  try {
    /** @type {string} */
    const origin = await new Promise((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk) => {
          output += String(chunk)
          const found = /http:\/\/127\.0\.0\.1:[1-9]\d*/.exec(output)?.[0]
          if (found !== undefined) resolve(found)
        })
      }
      child.once("exit", () => reject(new Error(`it ended: ${output}`)))
    })
    return await use(origin)
  } finally {
    const ended = new Promise((resolve) => child.once("exit", resolve))
    if (child.exitCode === null && child.kill("SIGTERM")) await ended
  }
}

const price = ["token", "price", "0xf124a828c0fc24a9f753c3ebb18ef93c74a67993", "--sandbox", "-o", "json"]

try {
  for (const { archive, name } of packages) {
    await row("archive", name, () => within(kilobytesOf(statSync(archive).size), archiveBudgets[name]))
  }

  /** The install command of a user, with archives instead of names. */
  const [, , ...names] = installCommand(...libraries.map(({ name }) => name)).split(" ")
  const specifiers = names.map((name) => libraries.find((library) => library.name === name)?.archive ?? name)
  const [project, commands, tools] = await Promise.all([
    install("project", [...specifiers, "@types/node@20"]),
    install(
      "commands",
      packages.flatMap(({ archive, manifest }) => manifest.bin === undefined ? [] : [archive])
    ),
    install(
      "tools",
      isSample
        ? ["ts7@npm:typescript@7"]
        : ["ts5@npm:typescript@5.9", "ts7@npm:typescript@7", "esbuild@0.28", "vite@8"]
    )
  ])
  const platform = `${process.platform}-${process.arch}`
  const lowest = [...String(packages[0]?.manifest.engines.node).matchAll(/\d+\.\d+\.\d+/g)].map(([version]) =>
    version
  )
  const nodes = isSample
    ? []
    : [
      ...new Set([
        ...lowest,
        ...await Promise.all([20, 22, 24, 26].map((major) => latest(`node-${platform}@${major}`)))
      ])
    ].sort()
  const runtimes = [{ name: "Node.js", version: process.version, file: process.execPath }]
  for (const version of nodes) {
    const folder = await install(`node-${version}`, [`node-${platform}@${version}`])
    runtimes.push({ name: "Node.js", version: `v${version}`, file: join(folder, "node_modules/.bin/node") })
  }
  if (!isSample) runtimes.shift()
  const versionOf = (/** @type {string} */ name) =>
    JSON.parse(readFileSync(join(tools, "node_modules", name, "package.json"), "utf8")).version

  // Type checks, and the programs in JavaScript
  for (const { code, name } of programs) writeFileSync(join(project, `${name}.ts`), code)
  writeFileSync(join(project, "common.cts"), commonJs)
  for (const typescript of isSample ? ["ts7"] : ["ts5", "ts7"]) {
    for (const module of isSample ? ["nodenext"] : ["nodenext", "bundler"]) {
      await row(`types, moduleResolution ${module}`, `TypeScript ${versionOf(typescript)}`, async () => {
        const common = module === "nodenext" ? ["common.cts"] : []
        await run(project, process.execPath, [
          join(tools, "node_modules", typescript, "bin/tsc"),
          ...["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"],
          ...["--target", "es2022", "--lib", "es2022,dom", "--types", "node", "--outDir", "out"],
          ...["--module", module === "nodenext" ? "nodenext" : "preserve", "--moduleResolution", module],
          ...programs.map(({ name }) => `${name}.ts`),
          ...common
        ])
        return `${programs.length + common.length} programs`
      })
    }
  }

  const quarry = join(commands, "node_modules/@blockquarry/cli/dist/quarry.js")
  const proxy = join(commands, "node_modules/@blockquarry/proxy/dist/quarry-proxy.js")
  const config = join(temporary, "quarry-proxy.yaml")
  writeFileSync(config, "listen: { port: 0 }\nadmin: { port: 0 }\nupstream: { sandbox: true }\n")

  for (const { file, version } of runtimes) {
    await withServer(process.execPath, [quarry, "sandbox", "serve", "--port", "0"], async (origin) => {
      const env = { QUARRY_API_KEY: "sandbox-good-key", QUARRY_BASE_URL: origin }
      await row("programs of the READMEs", `Node.js ${version}`, async () => {
        for (const { name } of programs.filter(({ name }) => !onlyCompiled.includes(name))) {
          checkOutput(name, await run(project, file, [`out/${name}.js`], env))
        }
        await run(project, file, ["--input-type=module", "-e", `await import("@blockquarry/redis")`])
        return "run"
      })
    })
    await row("require", `Node.js ${version}`, async () => {
      assert(await run(project, file, ["out/common.cjs"]) === "1.5", "it printed something else")
      return "run"
    })
    await row("quarry", `Node.js ${version}`, async () => {
      assert("usdPrice" in JSON.parse(await run(commands, file, [quarry, ...price])), "it printed no price")
      return "run"
    })
    await row(
      "quarry-proxy",
      `Node.js ${version}`,
      () =>
        withServer(file, [proxy, "--config", config], async (origin) => {
          const { status } = await fetch(`${origin}/livez`)
          assert(status === 200, `status ${status}`)
          return "run"
        })
    )
  }

  const npm = `npm ${await run(temporary, "npm", ["--version"])}`

  // As a reader does it: the commands of the README make a project, in which each program is saved under the name that its README says
  const [, pasted = ""] = /^```sh\n(npx -y pnpm@10 archives [^]*?)^```$/m.exec(readme) ?? []
  const clone = join(temporary, "clone")
  await row("README, its commands pasted", npm, async () => {
    mkdirSync(clone)
    const script = pasted.replace(
      /^npx -y pnpm@10 archives && archives=\$PWD\/archives$/m,
      `archives='${archives}'`
    )
    assert(!script.includes("pnpm"), `expected a line that makes the archives, got: ${pasted}`)
    const options = ["prefer_offline=true", "audit=false", "fund=false", "ignore_scripts=true"]
    await run(
      clone,
      "bash",
      ["-ec", script],
      Object.fromEntries(options.map((one) => `npm_config_${one}`.split("=")))
    )
    await run(join(clone, "../first"), "npm", ["install", "--prefer-offline", join(archives, "client.tgz")])
    return "installed"
  })
  await withServer(process.execPath, [quarry, "sandbox", "serve", "--port", "0"], async (origin) => {
    const env = { QUARRY_API_KEY: "sandbox-good-key", QUARRY_BASE_URL: origin }
    const readmes = [
      { name: "README", text: readme },
      ...libraries.map(({ folder, name }) => ({ name, text: readmeOf(folder) }))
    ]
    for (const { name, text } of readmes) {
      const file = /`node (\S+)`/.exec(text)?.[1]
      // That of @blockquarry/redis is a part of a program
      if (file === undefined) continue
      await row(`${name}, its programs pasted`, `Node.js ${process.version}`, async () => {
        for (const code of programsOf(text)) {
          writeFileSync(join(clone, "../first", file), code)
          const printed = await run(join(clone, "../first"), process.execPath, [file], env)
          for (const [, line = ""] of code.matchAll(/^ *\S.*\) \/\/ (.+)$/gm)) {
            const [start = ""] = line.split("…")
            assert(printed.includes(start), `expected ${line}, got: ${printed}`)
          }
          const [, shown = ""] = /^<!-- output of: the program -->\n\n```text\n([^]*?)\n```$/m.exec(text) ??
            []
          assert(printed.includes(shown), `expected ${shown}, got: ${printed}`)
        }
        return "run"
      })
    }
  })

  for (const { archive, manifest, name } of packages) {
    const [command] = Object.keys(manifest.bin ?? {})
    if (command === undefined) continue
    await row(`npx ${name}`, npm, async () => {
      const printed = await run(temporary, "npx", ["--yes", `--package=${archive}`, command, "--version"])
      assert(printed.includes(manifest.version), `it printed: ${printed}`)
      return `run, ${printed.split("\n")[0]}`
    })
  }

  if (!isSample) {
    await row(
      "documentation on hover",
      `TypeScript ${versionOf("ts5")}`,
      () => hover(project, join(tools, "node_modules/ts5"))
    )

    const esbuild = createRequire(import.meta.url)(join(tools, "node_modules/esbuild"))
    const chromium = [process.env["CHROMIUM_PATH"], "/usr/bin/chromium"].find((file) =>
      file !== undefined && existsSync(file)
    )
    const suites = /** @type {const} */ ([
      ["many callers of one client", await startCallers(join(temporary, "callers"), project, esbuild.build)],
      ["requests that fail", await startNetwork(join(temporary, "network"), project, esbuild.build)]
    ])
    // Its command is a script, which the program would outlive.
    const workerdPackages = join(await install("workerd", ["workerd"]), "node_modules/@cloudflare")
    const workerd = join(workerdPackages, String(readdirSync(workerdPackages)[0]), "bin/workerd")
    for (const [title, suite] of suites) {
      for (const { file, version } of runtimes) {
        await row(title, `Node.js ${version}`, () => suite.inProcess([file]))
      }
      await row(title, "workerd", () => suite.inWorkerd(workerd))
      await row(
        title,
        "Chromium",
        () => chromium === undefined ? "not run: Chromium is not installed" : suite.inChromium(chromium)
      )
    }

    for (const [name, binary, bunOrDeno] of [["Bun", "bun", "@oven/bun"], ["Deno", "deno", "@deno"]]) {
      const suffix = name === "Deno" && process.platform === "linux" ? `${platform}-glibc` : platform
      const specifier = name === "Deno" ? `${bunOrDeno}/${suffix}` : `${bunOrDeno}-${suffix}`
      await row("programs of the READMEs", String(name), async () => {
        const folder = await install(String(binary), [specifier])
        const file = [`bin/${binary}`, String(binary)].map((path) =>
          join(folder, "node_modules", specifier, path)
        )
          .find(existsSync)
        assert(file !== undefined, `${specifier} has no program`)
        const version = await run(folder, String(file), ["--version"])
        await withServer(process.execPath, [quarry, "sandbox", "serve", "--port", "0"], async (origin) => {
          for (const { name: program } of portable) {
            const args = name === "Deno" ? ["run", "--allow-all", "--node-modules-dir=manual"] : ["run"]
            const env = { QUARRY_API_KEY: "sandbox-good-key", QUARRY_BASE_URL: origin }
            checkOutput(program, await run(project, String(file), [...args, `out/${program}.js`], env))
          }
        })
        const seen = []
        for (const [, suite] of suites) {
          seen.push(await suite.inProcess([String(file), "run", ...name === "Deno" ? ["--allow-all"] : []]))
        }
        return `run, ${version.split("\n")[0]}; ${seen.join("; ")}`
      })
    }
    for (const [, suite] of suites) suite.close()

    const vite = await import(pathToFileURL(join(tools, "node_modules/vite/dist/node/index.js")).href)
    /** @type {Readonly<Record<string, (target: string, program: string, folder: string) => Promise<unknown>>>} */
    const bundlers = {
      esbuild: async (target, program, folder) => {
        await esbuild.build({
          entryPoints: [join(project, `out/${program}.js`)],
          bundle: true,
          format: "esm",
          minify: true,
          platform: target,
          target: "es2022",
          outfile: join(folder, `${program}.js`),
          logLevel: "silent"
        })
        writeFileSync(join(folder, "index.html"), html(`./${program}.js`))
      },
      vite: async (target, program, folder) => {
        writeFileSync(join(project, "index.html"), html(`./out/${program}.js`))
        await vite.build({
          root: project,
          configFile: false,
          logLevel: "silent",
          ssr: { noExternal: true },
          build: {
            outDir: folder,
            emptyOutDir: false,
            target: "es2022",
            ...(target === "node" ? { ssr: `out/${program}.js` } : {})
          }
        })
      }
    }
    for (const [tool, bundle] of Object.entries(bundlers)) {
      for (const target of ["node", "browser"]) {
        for (const { name } of offline) {
          await row(`bundle of ${name} for ${target}`, `${tool} ${versionOf(tool)}`, async () => {
            const folder = join(temporary, `${tool}-${target}-${name}`)
            mkdirSync(folder)
            await bundle(target, name, folder)
            const code = readdirSync(folder, { recursive: true, encoding: "utf8" })
              .filter((file) => file.endsWith(".js"))
              .map((file) => readFileSync(join(folder, file), "utf8")).join("\n")
            if (target === "node") {
              checkOutput(name, await run(folder, process.execPath, [join(folder, `${name}.js`)]))
              return `run, ${kilobytes(code)} kB`
            }
            assert(!/\b(?:from|import) ?\(?["']node:/.test(code), "it imports modules of Node.js")
            if (chromium === undefined) return `${kilobytes(code)} kB, not run: Chromium is not installed`
            checkOutput(name, await pageText(chromium, folder, join(temporary, "chromium")))
            return `run in Chromium, ${kilobytes(code)} kB`
          })
        }
      }
    }

    for (const { budget, code, own } of entries) {
      /** @param {ReadonlyArray<string>} external */
      const size = async (external) => {
        const { outputFiles } = await esbuild.build({
          stdin: { contents: code, resolveDir: project },
          bundle: true,
          format: "esm",
          minify: true,
          platform: "browser",
          target: "es2022",
          write: false,
          external
        })
        return kilobytes(Buffer.from(outputFiles[0].contents))
      }
      const entry = /"(.+)"/.exec(code)?.[1] ?? ""
      await row("entry", entry, async () => within(await size([]), budget))
      await row("entry, Vite", entry, async () => {
        writeFileSync(join(project, "entry.js"), code)
        const built = await vite.build({
          root: project,
          configFile: false,
          logLevel: "silent",
          // As an application: Vite does not minify the whitespace of libraries.
          build: {
            write: false,
            target: "es2022",
            modulePreload: false,
            minify: true,
            rollupOptions: { input: join(project, "entry.js"), preserveEntrySignatures: "strict" }
          }
        })
        const [{ output }] = [built].flat()
        return within(
          kilobytes(output.map((/** @type {{ code?: string }} */ chunk) => chunk.code ?? "").join("\n")),
          budget
        )
      })
      await row("entry without Effect", entry, async () => within(await size(["effect", "@effect/*"]), own))
    }

    await row("wrong line of Effect", "effect@4", async () => {
      const http = packages.find(({ name }) => name === "@blockquarry/http")?.archive ?? ""
      const core = packages.find(({ name }) => name === "@blockquarry/core")?.archive ?? ""
      const message = await install("wrong", [core, http, "effect@4"]).then(
        () => "",
        ({ stderr }) => String(stderr)
      )
      assert(
        /ERESOLVE/.test(message) && /peer effect@"\^3\.\d+\.\d+" from @blockquarry\//.test(message),
        message
      )
      return "npm names the peer"
    })
  }

  const checkWidth = Math.max(...rows.map(({ check }) => check.length))
  const versionWidth = Math.max(...rows.map(({ version }) => version.length))
  for (const { check, ok, result, version } of rows) {
    console.log(
      `${ok ? "ok  " : "FAIL"}  ${check.padEnd(checkWidth)}  ${version.padEnd(versionWidth)}  ${result}`
    )
  }
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1
