// The packages of this workspace that are published, its versions in git, and what scripts share.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../../", import.meta.url))

/**
 * Runs a program and returns what it prints, without the last line break. If it fails, the error has its messages.
 *
 * @param {string} cwd
 * @param {string} program
 * @param {ReadonlyArray<string>} args
 */
export const run = (cwd, program, args) => {
  const { error, status, stderr, stdout } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 1 << 28,
    shell: process.platform === "win32"
  })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed:\n${stdout}${stderr}`)
  return stdout.trimEnd()
}

/** @param {string} file */
export const sha256 = (file) => createHash("sha256").update(readFileSync(file)).digest("hex")

/** @param {string} file */
export const readJson = (file) => JSON.parse(readFileSync(file, "utf8"))

/**
 * Returns the folder and manifest of each published package.
 *
 * @param {string} directory the root of a workspace
 */
export const publishedPackages = (directory) =>
  ["packages", "apps"].flatMap((group) =>
    readdirSync(join(directory, group)).map((name) => join(directory, group, name))
  )
    .filter((folder) => existsSync(join(folder, "package.json")))
    .map((folder) => ({ folder, manifest: readJson(join(folder, "package.json")) }))
    .filter(({ manifest }) => manifest.private !== true)

/**
 * Returns the version that all published packages have.
 *
 * @param {string} directory the root of a workspace
 * @returns {string}
 */
export const releaseVersion = (directory) => {
  const versions = new Set(publishedPackages(directory).map(({ manifest }) => manifest.version))
  const [version] = versions
  if (versions.size !== 1 || version === undefined) {
    throw new Error(`all published packages must have one version, got ${[...versions].join(", ")}`)
  }
  return version
}

/**
 * Returns the tag of the newest release that a commit contains, or undefined before the first release.
 *
 * @param {string} directory a git repository
 * @param {string} commit
 */
export const lastRelease = (directory, commit) =>
  run(directory, "git", ["tag", "--list", "v[0-9]*", "--merged", commit, "--sort=-version:refname"])
    .split("\n").find((tag) => /^v\d+\.\d+\.\d+$/.test(tag))
