// publish.mjs FOLDER [--provenance]: publishes the archives that dryRun.mjs made, after it compared all checksums and checked
// their content again. Skips what npm already has, so that a failed run can be repeated. Publishes nothing if npm has a version
// with other content.
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { distTag } from "./distTag.mjs"
import { filesOf, manifestOf, problems } from "./tarballs.mjs"
import { sha256 } from "./workspace.mjs"

const [, , folder, ...options] = process.argv
if (folder === undefined || options.some((option) => option !== "--provenance")) {
  throw new Error("usage: publish.mjs FOLDER [--provenance]")
}

// A URL without a final slash would replace its last segment by the name of a package.
const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim().replace(
  /\/*$/,
  "/"
)

/**
 * Returns the response of the registry, or undefined if it has status 404.
 *
 * @param {string | URL} url
 */
const request = async (url) => {
  const response = await fetch(url)
  if (response.status === 404) return undefined
  if (!response.ok) throw new Error(`${url}: status ${response.status}`)
  return response
}

/**
 * Returns the tag `latest` and the versions of a package on npm, which has neither before its first release.
 *
 * @param {string} name
 * @returns {Promise<{
 *   readonly "dist-tags"?: { readonly latest?: string }
 *   readonly versions?: Readonly<Record<string, { readonly dist: { readonly tarball: string } }>>
 * }>}
 */
const published = async (name) => {
  const response = await request(new URL(name.replace("/", "%2f"), registry))
  return response === undefined ? {} : Object(await response.json())
}

/**
 * Returns whether an archive has the content of a published one. Machines compress the same content differently.
 *
 * @param {string} archive
 * @param {string} url
 */
const isSame = async (archive, url) => {
  const response = await request(url)
  return response !== undefined &&
    gunzipSync(await response.arrayBuffer()).equals(gunzipSync(readFileSync(archive)))
}

const files = readFileSync(join(folder, "SHA256SUMS"), "utf8").trim().split("\n").map((line) => {
  const [sum, file = ""] = line.split("  ")
  if (sha256(join(folder, file)) !== sum) {
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

const states = await Promise.all(
  ordered.map(async ({ archive, manifest: { name, version } }) => {
    const { "dist-tags": tags, versions } = await published(name)
    const same = versions?.[version]
    return {
      archive,
      title: `${name} ${version}`,
      tag: distTag(version, tags?.latest),
      state: same === undefined ? "new" : await isSame(archive, same.dist.tarball) ? "published" : "different"
    }
  })
)
const different = states.filter(({ state }) => state === "different").map(({ title }) => title)
if (different.length > 0) {
  throw new Error(`npm has other content as ${different.join(", ")}: release another version`)
}

for (const { archive, state, tag, title } of states) {
  if (state === "published") {
    console.log(`${title} is published already`)
    continue
  }
  const flags = ["--access", "public", "--tag", tag, "--registry", registry, ...options]
  execFileSync("npm", ["publish", archive, ...flags], { stdio: "inherit" })
  console.log(`published ${title} as ${tag}`)
}
