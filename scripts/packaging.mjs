// Packs every published package as for the registry, and checks the archive: its files and manifest, with publint, and with "Are
// the types wrong?". The archives stay in node_modules/.cache/archives, for consumers.mjs.
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { pack } from "./archives.mjs"
import { filesOf, manifestOf, problems } from "./release/tarballs.mjs"
import { publishedPackages, root } from "./release/workspace.mjs"

/** @param {string} name */
const bin = (name) => {
  const file = join(root, "node_modules", name, "package.json")
  const { bin: entry } = JSON.parse(readFileSync(file, "utf8"))
  return join(dirname(file), typeof entry === "string" ? entry : Object.values(entry)[0])
}

/**
 * Returns the modules that a package exports: those that its exports name, or all except those in folders that they exclude.
 *
 * @param {string} directory
 * @param {{ readonly [path: string]: unknown }} exports
 */
const entrypoints = (directory, exports) => {
  if (!("./*" in exports)) {
    return Object.keys(exports).filter((path) => path !== "./package.json").map((path) =>
      path.replace(/^\.\//, "")
    )
  }
  const closed = Object.keys(exports).filter((path) => exports[path] === null)
    .map((path) => new RegExp(`^${path.slice(2).replaceAll("*", ".*")}$`))
  return readdirSync(join(directory, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.replaceAll("\\", "/").slice(0, -3))
    .filter((module) => !closed.some((path) => path.test(module)))
    .map((module) => module === "index" ? "." : module)
}

const archives = join(root, "node_modules/.cache/archives")
rmSync(archives, { recursive: true, force: true })
mkdirSync(archives, { recursive: true })
let failed = false

/**
 * @param {string} name
 * @param {ReadonlyArray<string>} args
 */
const run = (name, args) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin(name), ...args], { encoding: "utf8" })
  if (status === 0) return
  failed = true
  process.stdout.write(`${stdout}${stderr}`)
}

for (const { folder, manifest } of publishedPackages(root)) {
  const archive = pack(folder, archives)
  // Before the first release, the version in the repository is 0.0.0
  for (const problem of problems(filesOf(archive), { ...manifestOf(archive), version: "0.1.0" })) {
    failed = true
    console.error(`error: ${manifest.name}: ${problem}`)
  }
  run("publint", ["run", archive, "--strict"])
  if (manifest.bin === undefined) {
    run("@arethetypeswrong/cli", [
      archive,
      "--profile",
      "esm-only",
      "--no-emoji",
      "--format",
      "ascii",
      "--entrypoints",
      ...entrypoints(folder, manifest.exports)
    ])
  }
  console.log(`packed and checked ${manifest.name}`)
}
process.exitCode = failed ? 1 : 0
