// generate.mjs [--check]: writes the files that follow from the descriptions in packages/core/src/operations, or checks that they are
// up to date.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { generatedFiles } from "./generate/files.mjs"
import { root } from "./release/workspace.mjs"

const outdated = [...await generatedFiles(root)].filter(([file, text]) =>
  !existsSync(join(root, file)) || readFileSync(join(root, file), "utf8") !== text
)
if (process.argv.includes("--check")) {
  for (const [file] of outdated) console.error(`${file} is outdated; run npx -y pnpm@10 generate`)
  process.exitCode = outdated.length === 0 ? 0 : 1
} else {
  for (const [file, text] of outdated) writeFileSync(join(root, file), text)
}
