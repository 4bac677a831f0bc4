// contract.mjs [FROM [TO]]: prints how the golden records differ between two releases. They are the contract of a release,
// see docs/releases.md. Defaults: FROM is the last release in TO, TO is HEAD.
import { pathToFileURL } from "node:url"
import { lastRelease, root, run } from "./workspace.mjs"

/**
 * The parts of the contract, and their golden records. The first pattern that matches a file decides.
 *
 * @type {ReadonlyArray<{ readonly part: string, readonly files: RegExp }>}
 */
export const parts = [
  { part: "Requests to the upstream", files: /^packages\/http\/test\/golden\/records\/wire/ },
  {
    part: "Errors of the library",
    files:
      /^packages\/http\/test\/golden\/records\/errors|^packages\/core\/test\/golden\/records\/(invalidInputs|notFound)/
  },
  {
    part: "Policies: retries, limits, cache",
    files: /^packages\/http\/test\/golden\/records\/timeline|^packages\/core\/test\/golden\/records\/ttls/
  },
  {
    part: "Metrics",
    files:
      /^packages\/http\/test\/golden\/records\/telemetry\.metrics|^apps\/proxy\/test\/golden\/records\/metrics\.txt/
  },
  { part: "Logs and spans of the library", files: /^packages\/http\/test\/golden\/records\/telemetry/ },
  { part: "Data of the sandbox", files: /^packages\/sandbox\/test\/golden\/records\// },
  { part: "Data in Redis", files: /^packages\/redis\/test\/golden\/records\// },
  { part: "Command line: output and exit codes", files: /^apps\/cli\/test\/golden\/records\// },
  { part: "Configuration of the proxy", files: /^apps\/proxy\/test\/golden-config\/records\// },
  {
    part: "Proxy: responses, failure codes, access log",
    files: /^apps\/proxy\/test\/golden\/records\//
  }
]

/**
 * Returns the part of the contract that a file documents, or undefined if it documents none.
 *
 * @param {string} file a path from the root of the repository
 */
export const partOf = (file) => parts.find(({ files }) => files.test(file))?.part

/** Git pathspecs of every golden record. */
const records = [":(glob)**/test/*/records/**"]

/**
 * Returns how the records differ between two commits: counts for each part, and the text of the difference. Without FROM,
 * every record is new.
 *
 * @param {string} directory a git repository
 * @param {string | undefined} from
 * @param {string} to
 */
export const contractDiff = (directory, from, to) => {
  const base = from ?? run(directory, "git", ["hash-object", "-t", "tree", "--stdin"])
  const changed = run(directory, "git", ["diff", "--numstat", "--no-renames", base, to, "--", ...records])
    .split("\n").filter(Boolean).map((line) => {
      const [added = "", removed = "", file = ""] = line.split("\t")
      return { part: partOf(file), added: Number(added), removed: Number(removed) }
    })
  return {
    summary: parts.map(({ part }) => {
      const files = changed.filter((one) => one.part === part)
      return {
        part,
        files: files.length,
        added: files.reduce((sum, { added }) => sum + added, 0),
        removed: files.reduce((sum, { removed }) => sum + removed, 0)
      }
    }),
    text: from === undefined
      ? ""
      : run(directory, "git", ["diff", "--no-renames", from, to, "--", ...records])
  }
}

/**
 * Returns the counts as a Markdown table.
 *
 * @param {ReturnType<typeof contractDiff>["summary"]} summary
 */
export const contractTable = (summary) =>
  [
    "| part of the contract | changed records | lines added | lines removed |",
    "| --- | --- | --- | --- |",
    ...summary.map(({ added, files, part, removed }) => `| ${part} | ${files} | ${added} | ${removed} |`)
  ].join("\n")

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [, , given, to = "HEAD"] = process.argv
  const from = given ?? lastRelease(root, to)
  const { summary, text } = contractDiff(root, from, to)
  console.log(from === undefined ? "No release yet: every record is new.\n" : `From ${from} to ${to}\n`)
  console.log(contractTable(summary))
  if (text !== "") console.log(`\n${text}`)
}
