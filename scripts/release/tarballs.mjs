// Checks the content of a package's archive before it is published.
import { execFileSync } from "node:child_process"

/** Files that an archive may have. */
const allowed = [
  /^(package\.json|README\.md|LICENSE|THIRD-PARTY-LICENSES)$/,
  /^dist\/[\w./-]+\.(js|d\.ts|d\.ts\.map|wasm)$/,
  /^src\/[\w./-]+\.ts$/
]

/** Files that no archive may have, although they match the above. */
const forbidden = /(^|\/)(test|tests|golden|scripts)\/|\.test\.|\.build\.ts$/

const required = ["package.json", "README.md", "LICENSE"]

const requiredFields = [
  "name",
  "version",
  "description",
  "keywords",
  "license",
  "author",
  "repository",
  "homepage",
  "bugs",
  "engines",
  "publishConfig"
]

/** .pnpmfile.cjs removes these. npm would run some scripts when it installs a package. */
const forbiddenFields = ["scripts", "devDependencies"]

/**
 * Returns what is wrong with an archive, by its files and manifest.
 *
 * @param {ReadonlyArray<string>} files paths in the package
 * @param {Readonly<Record<string, unknown>>} manifest its package.json
 */
export const problems = (files, manifest) => {
  /** @param {string} name */
  const record = (name) => Object.entries(manifest[name] ?? {})
  const isApplication = manifest["bin"] !== undefined
  const isBundle = isApplication || [...record("dependencies"), ...record("peerDependencies")].length === 0
  return [
    ...required.filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
    ...(isBundle && !files.includes("THIRD-PARTY-LICENSES") ? ["THIRD-PARTY-LICENSES is missing"] : []),
    ...files.filter((file) => !allowed.some((pattern) => pattern.test(file)) || forbidden.test(file))
      .map((file) => `${file} does not belong in a package`),
    ...requiredFields.filter((field) => manifest[field] === undefined).map((field) =>
      `package.json has no ${field}`
    ),
    ...(manifest["version"] === "0.0.0" ? ["0.0.0 is not a version to publish"] : []),
    ...["dependencies", "peerDependencies", "optionalDependencies"].flatMap(record)
      .filter(([, range]) => /^(workspace|catalog|file|link):/.test(String(range)))
      .map(([name, range]) => `the range ${range} of ${name} means nothing outside this workspace`),
    ...forbiddenFields.filter((field) => manifest[field] !== undefined).map((field) =>
      `package.json has ${field}`
    ),
    ...(isApplication ? record("dependencies").map(([name]) => `${name} is not bundled`) : [])
  ]
}

/**
 * Returns the paths of an archive's files, without the folder `package/` around them.
 *
 * @param {string} archive
 */
export const filesOf = (archive) =>
  execFileSync("tar", ["-tzf", archive], { encoding: "utf8", maxBuffer: 1 << 26 }).trim().split("\n")
    .map((file) => file.replace(/^package\//, "")).toSorted()

/**
 * Returns the manifest in an archive.
 *
 * @param {string} archive
 * @returns {Readonly<Record<string, unknown>> & {
 *   readonly name: string
 *   readonly version: string
 *   readonly dependencies?: Readonly<Record<string, string>>
 * }}
 */
export const manifestOf = (archive) =>
  JSON.parse(execFileSync("tar", ["-xzOf", archive, "package/package.json"], { encoding: "utf8" }))
