/** @param {string} version */
const numbers = (version) => version.split("-")[0]?.split(".").map(Number) ?? []

/**
 * Returns the tag under which npm lists a version. `npm install` without a version takes `latest`, so that is never an older
 * version than before, and never a prerelease. Throws for 0.0.0, the version in the repository before the first release.
 *
 * @param {string} version
 * @param {string | undefined} latest the version that is `latest` now, undefined before the first release
 */
export const distTag = (version, latest) => {
  if (version.startsWith("0.0.0")) throw new Error(`${version} is not a version to publish`)
  if (version.includes("-")) return "next"
  const [major = 0, minor = 0, patch = 0] = numbers(version)
  const [latestMajor = 0, latestMinor = 0, latestPatch = 0] = numbers(latest ?? "0.0.0")
  const isNewest = (major - latestMajor || minor - latestMinor || patch - latestPatch) >= 0
  return isNewest ? "latest" : `v${major}.${minor}`
}
