// publish.mjs FOLDER [--provenance]: publishes the archives that dryRun.mjs made, after it compared all checksums and checked
// their content again. Skips what npm already has, so that a failed run can be repeated.
import { execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { distTag } from "./distTag.mjs"
import { filesOf, manifestOf, problems } from "./tarballs.mjs"

const [, , folder, ...options] = process.argv
if (folder === undefined || options.some((option) => option !== "--provenance")) {
  throw new Error("usage: publish.mjs FOLDER [--provenance]")
}

/**
 * Returns a field of a package on npm, or undefined if there is no such package or version.
 *
 * @param {string} name
 * @param {string} field
 * @returns {string | undefined}
 */
const published = (name, field) => {
  const { error, status, stderr, stdout } = spawnSync("npm", ["view", name, field, "--json"], {
    encoding: "utf8"
  })
  if (error !== undefined) throw error
  if (status !== 0 && !`${stdout}${stderr}`.includes("E404")) {
    throw new Error(`npm view ${name}: ${stdout}${stderr}`)
  }
  return status !== 0 || stdout.trim() === "" ? undefined : JSON.parse(stdout)
}

const files = readFileSync(join(folder, "SHA256SUMS"), "utf8").trim().split("\n").map((line) => {
  const [sum, file = ""] = line.split("  ")
  if (createHash("sha256").update(readFileSync(join(folder, file))).digest("hex") !== sum) {
    throw new Error(`${file} differs from SHA256SUMS: run the dry run again`)
  }
  return join(folder, file)
})
const packages = files.filter((file) => file.endsWith(".tgz"))
  .map((archive) => ({ archive, manifest: manifestOf(archive) }))
const found = packages.flatMap(({ archive, manifest }) =>
  problems(filesOf(archive), manifest).map((problem) => `${archive}: ${problem}`)
)
if (found.length > 0) throw new Error(found.join("\n"))

/** @type {Array<(typeof packages)[number]>} */
const ordered = []
/**
 * Adds a package after those that it depends on, so that what npm has can be installed at any time.
 *
 * @param {(typeof packages)[number]} one
 */
const add = (one) => {
  if (ordered.includes(one)) return
  for (const other of packages) if (other.manifest.name in (one.manifest.dependencies ?? {})) add(other)
  ordered.push(one)
}
packages.forEach(add)

const tagged = ordered.map(({ archive, manifest: { name, version } }) => ({
  archive,
  name,
  version,
  tag: distTag(version, published(name, "dist-tags.latest"))
}))
for (const { archive, name, tag, version } of tagged) {
  if (published(`${name}@${version}`, "version") === version) {
    console.log(`${name} ${version} is published already`)
    continue
  }
  execFileSync("npm", ["publish", archive, "--access", "public", "--tag", tag, ...options], {
    stdio: "inherit"
  })
  console.log(`published ${name} ${version} as ${tag}`)
}
