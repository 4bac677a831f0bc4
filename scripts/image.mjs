// image.mjs [FOLDER [BUNDLE]]: everything that goes into the proxy's container image, and nothing else, in one
// folder. Defaults: FOLDER is apps/proxy/dist-image; BUNDLE, with its source maps, is apps/proxy/dist.
// The same sources make the same bytes with the same times: the image's layer is the same, too.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundledPackages, licenseTexts, scriptsOf } from "./bundledPackages.mjs"

const root = fileURLToPath(new URL("../", import.meta.url))
const [, , folder = join(root, "apps/proxy/dist-image"), bundle = join(root, "apps/proxy/dist")] =
  process.argv

/** @param {string} file */
const read = (file) => readFileSync(file, "utf8")

/** @param {string} directory */
const filesIn = (directory) =>
  readdirSync(directory, { recursive: true, encoding: "utf8" }).map((file) => file.replaceAll("\\", "/"))
    .sort()

const manifest = JSON.parse(read(join(root, "apps/proxy/package.json")))
const scripts = scriptsOf(bundle, "quarry-proxy")
const packages = bundledPackages(bundle, "quarry-proxy")

/** @type {ReadonlyMap<string, string>} */
const content = new Map([
  ["LICENSE", read(join(root, "LICENSE"))],
  ["THIRD-PARTY-LICENSES", licenseTexts(packages)],
  // What the program reads of it: its version, and that its files are modules.
  [
    "package.json",
    `${
      JSON.stringify(
        { name: manifest.name, version: manifest.version, license: manifest.license, type: manifest.type },
        null,
        2
      )
    }\n`
  ],
  ...scripts.map((script) => /** @type {[string, string]} */ ([
    `dist/${script}`,
    read(join(bundle, script))
  ]))
])

// The script removes what the folder contains, so it must have made it.
if (
  existsSync(folder) && readdirSync(folder).length > 0 && !existsSync(join(folder, "THIRD-PARTY-LICENSES"))
) {
  throw new Error(`${folder} holds something else; name another folder, or empty it`)
}
rmSync(folder, { recursive: true, force: true })

const time = Number(process.env["SOURCE_DATE_EPOCH"] ?? 0)
let size = 0
for (const [name, text] of content) {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  size += Buffer.byteLength(text)
}
// Folders last, from the inside out: writing into one changes its time.
for (const name of [...filesIn(folder).reverse(), "."]) {
  const path = join(folder, name)
  chmodSync(path, content.has(name) ? 0o644 : 0o755)
  utimesSync(path, time, time)
}

console.log(
  `${folder}: ${manifest.name} ${manifest.version}, ${content.size} files, ${(size / 1e6).toFixed(1)} MB, ` +
    `with code of ${packages.length} packages`
)
