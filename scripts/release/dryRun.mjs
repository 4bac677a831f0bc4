// dryRun.mjs [FOLDER]: makes every file of a release in a folder, by default `release`, and publishes nothing.
//
// It works in a clone of the last commit, so that no other file can get into a release. If there are changesets, the clone
// applies them first: the version is the next one.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, relative, resolve } from "node:path"
import { bundledPackages } from "../bundledPackages.mjs"
import { sectionOf } from "./changelog.mjs"
import { contractDiff, contractTable } from "./contract.mjs"
import { formula } from "./formula.mjs"
import { sbom } from "./sbom.mjs"
import { filesOf, manifestOf, problems } from "./tarballs.mjs"
import { lastRelease, publishedPackages, readJson, releaseVersion, root, run, sha256 } from "./workspace.mjs"

const output = resolve(process.argv[2] ?? join(root, "release"))
const temporary = mkdtempSync(join(tmpdir(), "blockquarry-release-"))
const source = join(temporary, "source")
/** @type {Array<{ readonly file: string, readonly content: string }>} */
const made = []

/** @param {string} text */
const progress = (text) => console.log(`… ${text}`)

/**
 * @param {string} name
 * @param {string} text
 * @param {string} content what the summary says
 */
const write = (name, text, content) => {
  writeFileSync(join(output, name), text)
  made.push({ file: name, content })
}

/** @param {ReadonlyArray<string>} args */
const pnpm = (args) => run(source, "npx", ["-y", "pnpm@10", ...args])

const removeTemporary = () => rmSync(temporary, { recursive: true, force: true })
process.once("exit", removeTemporary)

// The script removes what the folder contains, so that must be the output of an earlier run.
if (existsSync(output) && readdirSync(output).length > 0 && !existsSync(join(output, "SHA256SUMS"))) {
  throw new Error(`${output} has other files: name another folder, or empty it`)
}
rmSync(output, { recursive: true, force: true })
mkdirSync(output, { recursive: true })

if (run(root, "git", ["status", "--porcelain"]) !== "") {
  console.log("Changes that are not committed are not part of the release.")
}
const commit = run(root, "git", ["rev-parse", "HEAD"])
const time = new Date(Number(run(root, "git", ["show", "--no-patch", "--format=%ct", commit])) * 1000)
process.env["SOURCE_DATE_EPOCH"] = String(time.getTime() / 1000)

progress(`clone of ${commit.slice(0, 12)}, and its dependencies`)
run(root, "git", ["clone", "--quiet", root, source])
pnpm(["install", "--frozen-lockfile", "--prefer-offline", "--ignore-scripts"])

if (readdirSync(join(source, ".changeset")).some((file) => file.endsWith(".md") && file !== "README.md")) {
  progress("version and changelog from the changesets")
  pnpm(["run", "release:version"])
}
const version = releaseVersion(source)

progress(`build of ${version}`)
pnpm(["run", "build"])

progress("archives of the packages, and their use in empty projects")
/** @type {Array<string>} */
const found = []
run(source, process.execPath, ["scripts/packaging.mjs"])
console.log(run(source, process.execPath, ["scripts/consumers.mjs", "--sample"]))
const archives = publishedPackages(source).map(({ folder }) => {
  const { name } = readJson(join(folder, "package.json"))
  const archive = join(output, `${name.replace(/^@/, "").replace("/", "-")}-${version}.tgz`)
  copyFileSync(join(source, "node_modules/.cache/archives", `${basename(folder)}.tgz`), archive)
  const files = filesOf(archive)
  const manifest = manifestOf(archive)
  found.push(...problems(files, manifest).map((problem) => `${name}: ${problem}`))
  made.push({ file: basename(archive), content: `${name}, ${files.length} files` })
  return { archive, files, folder, manifest, name }
})

progress("SBOM, image, formula, changelog and contract")
for (const { archive, files, folder, manifest, name } of archives) {
  if (!files.includes("THIRD-PARTY-LICENSES")) continue
  const [program = "index"] = Object.keys(readJson(join(folder, "package.json")).bin ?? {})
  const bundled = bundledPackages(join(folder, "dist"), program).map((one) => one.manifest)
  write(
    basename(archive).replace(/tgz$/, "cdx.json"),
    sbom({ bundled, manifest, time }),
    `SBOM of ${name}, ${bundled.length} packages`
  )
}

const image = join(output, "image")
run(source, process.execPath, ["scripts/image.mjs", image])
const imageFiles = readdirSync(image, { recursive: true, encoding: "utf8" })
  .filter((file) => statSync(join(image, file)).isFile()).toSorted()
made.push({ file: "image/", content: `content of the container image, ${imageFiles.length} files` })

const cli = archives.find(({ name }) => name === "@blockquarry/cli")
if (cli === undefined) throw new Error("@blockquarry/cli is not published")
const { description, homepage, repository } = readJson(join(cli.folder, "package.json"))
const github = String(repository?.url).replace(/^git\+/, "").replace(/\.git$/, "")
write(
  "quarry.rb",
  formula({
    description: description.replace(/^`[^`]+`: /, "").replace(
      /^./,
      (/** @type {string} */ letter) => letter.toUpperCase()
    ),
    homepage,
    url: `${github}/releases/download/v${version}/${basename(cli.archive)}`,
    sha256: sha256(cli.archive)
  }),
  "Homebrew formula of the command line"
)

const before = lastRelease(root, commit)
const { summary, text } = contractDiff(root, before, commit)
const since = before === undefined
  ? "This is the first release: there is no earlier contract to compare."
  : `Changed golden records since ${before}:\n\n${contractTable(summary)}`
write(
  "contract.diff",
  // GitHub rejects an empty file
  text === "" ? "No difference.\n" : text,
  before === undefined ? "no earlier release" : `golden records since ${before}`
)

const changelog = readFileSync(join(source, "CHANGELOG.md"), "utf8")
write("CHANGELOG.md", changelog, "changelog of all versions")
const notes = sectionOf(changelog, version)
if (notes === undefined) found.push(`CHANGELOG.md has no section ${version}`)
write("release-notes.md", `${notes ?? ""}\n\n### Contract\n\n${since}\n`, `notes of ${version}`)

/** @param {ReadonlyArray<string>} files */
const sums = (files) => files.map((file) => `${sha256(join(output, file))}  ${file}\n`).join("")

write("image.sha256", sums(imageFiles.map((file) => `image/${file}`)), "checksums of the image's content")
const files = made.map(({ file }) => file).filter((file) => !file.endsWith("/")).toSorted()
write("SHA256SUMS", sums(files), `checksums of ${files.length} files`)

const width = Math.max(...made.map(({ file }) => file.length))
console.log(`\nBlockquarry ${version}, commit ${commit.slice(0, 12)}, in ${relative(process.cwd(), output)}`)
for (const { content, file } of made) {
  const size = file.endsWith("/")
    ? imageFiles.reduce((sum, name) => sum + statSync(join(image, name)).size, 0)
    : statSync(join(output, file)).size
  console.log(`${file.padEnd(width)}  ${`${(size / 1000).toFixed(1)} kB`.padStart(10)}  ${content}`)
}
console.log(`\n${contractTable(summary)}\n`)
if (before === undefined) console.log("No earlier release: every golden record is new.")
for (const problem of found) console.error(`error: ${problem}`)
console.log("Nothing was published.")
process.exitCode = found.length === 0 ? 0 : 1
