// archives.mjs: packs every published package as for the registry, into archives/NAME.tgz of the repository. Until the first release,
// programs install these.
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync } from "node:fs"
import { basename, join, relative } from "node:path"
import { pathToFileURL } from "node:url"
import { publishedPackages, root } from "./release/workspace.mjs"

/**
 * Packs the package in a folder, and returns its archive.
 *
 * @param {string} folder
 * @param {string} target the folder of the archive
 */
export const pack = (folder, target) => {
  const archive = join(target, `${basename(folder)}.tgz`)
  execFileSync("pnpm", ["pack", "--out", archive], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32"
  })
  return archive
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const target = join(root, "archives")
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target)
  for (const { folder, manifest } of publishedPackages(root)) {
    console.log(`${manifest.name}: ${relative(root, pack(folder, target))}`)
  }
}
