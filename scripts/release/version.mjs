// Applies all changesets: a new version of every published package, and a section of CHANGELOG.md. Changes files only.
import getReleasePlan from "@changesets/get-release-plan"
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { changelogSection, withSection } from "./changelog.mjs"
import { publishedPackages, releaseVersion, root, run } from "./workspace.mjs"

const plan = await getReleasePlan(root)
if (plan.changesets.length === 0) throw new Error("no changesets: add one with `npx -y pnpm@10 changeset`")

run(root, process.execPath, [createRequire(import.meta.url).resolve("@changesets/cli/bin.js"), "version"])
const version = releaseVersion(root)
const file = join(root, "CHANGELOG.md")
const date = new Date().toISOString().slice(0, 10)
writeFileSync(file, withSection(readFileSync(file, "utf8"), changelogSection(version, date, plan)))
run(root, "pnpm", [
  "exec",
  "dprint",
  "fmt",
  ...publishedPackages(root).map(({ folder }) => `${folder}/package.json`)
])
console.log(version)
