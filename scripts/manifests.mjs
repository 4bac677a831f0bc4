// manifests.mjs: copies what all published packages have in common from the root manifest, its only source, into theirs: license,
// author, homepage, bugs, repository and engines. Format the manifests afterwards. A test checks that they agree.
import { readFileSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { pathToFileURL } from "node:url"
import { parse } from "yaml"
import { publishedPackages, readJson, root } from "./release/workspace.mjs"

/**
 * Returns the manifest of a published package with the common fields.
 *
 * @param {string} folder
 * @param {Readonly<Record<string, unknown>>} manifest
 */
export const completed = (folder, manifest) => {
  const { author, bugs, engines, homepage, license, repository } = readJson(join(root, "package.json"))
  const directory = relative(root, folder).replaceAll("\\", "/")
  return {
    ...manifest,
    license,
    author,
    homepage,
    bugs,
    repository: { ...repository, directory },
    engines,
    scripts: { ...Object(manifest["scripts"]), prepublishOnly: "node ../../scripts/refusePublish.mjs" }
  }
}

/**
 * Returns the command that installs packages with the versions of Effect that work. npm and pnpm install a missing peer, but not
 * instead of a newer line that the project has, and `npm install effect` takes the newest line.
 *
 * @param {ReadonlyArray<string>} names
 */
export const installCommand = (...names) => {
  const packages = publishedPackages(root)
  const peers = names.flatMap((name) => {
    const manifest = packages.find((one) => one.manifest.name === name)?.manifest
    if (manifest === undefined) throw new Error(`${name} is not published`)
    return Object.keys(manifest.peerDependencies ?? {})
  })
  return [
    "npm install",
    ...names,
    ...[...new Set(peers)].sort().map((name) => `${name}@${line(ranges[name])}`)
  ].join(" ")
}

/** @type {Readonly<Record<string, string>>} */
const ranges = parse(readFileSync(join(root, "pnpm-workspace.yaml"), "utf8")).catalogs.peers

/**
 * Returns the shortest name of the versions of a caret range that shells do not change: `^3.22.4` is 3, `^0.97.2` is 0.97.
 *
 * @param {string | undefined} range
 */
const line = (range = "") => {
  const [, major = "", minor = ""] = /^\^(\d+)\.(\d+)\.\d+$/.exec(range) ?? []
  if (major === "") throw new Error(`expected a caret range, got "${range}"`)
  return major === "0" ? `0.${minor}` : major
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const { folder, manifest } of publishedPackages(root)) {
    writeFileSync(
      join(folder, "package.json"),
      `${JSON.stringify(completed(folder, manifest), null, 2)}\n`
    )
  }
}
