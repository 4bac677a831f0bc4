/** Reports phrases that are not standard technical English. See "Writing" in CONTRIBUTING.md. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"

const phrases = [
  "whoever",
  "whatever",
  "nobody",
  "somebody",
  "everybody",
  "anybody",
  "stranger",
  "dearest",
  "kept answers?",
  "where nothing is said",
  "left alone",
  "(?:is|are|be|was|were) let go",
  "h[ua]ngs? up",
  "who asks",
  "who may ask",
  "is asked for",
  "counts as nothing",
  "service in a box"
]

const files = execFileSync("git", ["ls-files", "-z", "--", ":!scripts/wording.mjs", ":!pnpm-lock.yaml"], {
  encoding: "utf8"
})
const pattern = new RegExp(`\\b(?:${phrases.join("|")})\\b`, "i")
let count = 0
// A file that was removed is listed until the commit
for (const file of files.split("\0").filter(existsSync)) {
  for (const [index, line] of readFileSync(file, "utf8").split("\n").entries()) {
    const found = pattern.exec(line)
    if (found === null) continue
    count += 1
    process.stderr.write(`${file}:${index + 1}: "${found[0]}" is not standard technical English\n`)
  }
}
process.exitCode = count === 0 ? 0 : 1
