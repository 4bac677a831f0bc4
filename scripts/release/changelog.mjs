// The changelog of the repository: one section for each version, from the changesets that it contains.

/**
 * What `@changesets/get-release-plan` returns, as far as it is used.
 *
 * @typedef {object} ReleasePlan
 * @property {ReadonlyArray<{
 *   readonly summary: string
 *   readonly releases: ReadonlyArray<{ readonly name: string, readonly type: string }>
 * }>} changesets
 */

const headings = [
  { type: "major", heading: "Breaking changes" },
  { type: "minor", heading: "New and changed" },
  { type: "patch", heading: "Fixed" }
]

/**
 * Joins the lines of each paragraph: release notes on GitHub show every line break. Headings, lists, tables and blocks of code
 * keep their lines.
 *
 * @param {string} text
 */
const unwrapped = (text) =>
  text.split(/(^```[^]*?^```$)/m)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replace(/(?<=\S)(?<!^#+ .*)\n(?=\S)(?![*+-] |\d+[.)] |#+ |[>|])/gm, " ")
    )
    .join("")

/**
 * Returns the section of a version.
 *
 * @param {string} version
 * @param {string} date
 * @param {ReleasePlan} plan
 */
export const changelogSection = (version, date, plan) => {
  const entries = plan.changesets.map(({ releases, summary }) => {
    const names = releases.filter(({ type }) => type !== "none").map(({ name }) =>
      name.replace(/^@[^/]+\//, "")
    )
    return {
      type: headings.find(({ type }) => releases.some((release) => release.type === type))?.type,
      text: `- **${names.toSorted().join(", ")}**: ${unwrapped(summary.trim()).replace(/\n(?!\n)/g, "\n  ")}`
    }
  })
  const groups = headings.flatMap(({ heading, type }) => {
    const texts = entries.filter((entry) => entry.type === type).map(({ text }) => text)
    return texts.length === 0 ? [] : [`### ${heading}\n\n${texts.join("\n")}`]
  })
  return [`## ${version} (${date})`, ...groups].join("\n\n")
}

/**
 * Returns a changelog with a section in front of those that it has.
 *
 * @param {string} changelog
 * @param {string} section
 */
export const withSection = (changelog, section) => {
  const at = changelog.search(/^## /m)
  return at === -1
    ? `${changelog.trimEnd()}\n\n${section}\n`
    : `${changelog.slice(0, at)}${section}\n\n${changelog.slice(at)}`
}

/**
 * Returns the text of a version's section, without its heading.
 *
 * @param {string} changelog
 * @param {string} version
 */
export const sectionOf = (changelog, version) =>
  changelog.split(/^## /m).find((section) => section.startsWith(`${version} (`))?.split("\n").slice(1).join(
    "\n"
  )
    .trim()
