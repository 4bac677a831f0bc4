// The packages whose code a bundle of scripts/bundle.mjs contains.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

/**
 * Returns the scripts of a program: paths in the folder of its bundle.
 *
 * @param {string} folder
 * @param {string} program its name, without `.js`
 */
export const scriptsOf = (folder, program) => {
  const isScript = new RegExp(`^${program}(-chunks/[^/]+)?\\.js$`)
  const scripts = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => file.replaceAll("\\", "/"))
      .filter((file) => isScript.test(file)).sort()
    : []
  if (!scripts.includes(`${program}.js`)) {
    throw new Error(`${program}.js not found in ${folder}: run pnpm run build first`)
  }
  return scripts
}

/** @param {string} file */
const sourcesOf = (file) => {
  // What the bundler generates has no sources and therefore no source map: helper functions, and scripts that only export others.
  if (/^rolldown-runtime-[\w-]+\.js$/.test(file.slice(file.lastIndexOf("/") + 1))) return []
  if (/^(?:(?:import|export) ?\{[^}]*\}(?: ?from ?"[^"]+")?;?\s*)+$/.test(readFileSync(file, "utf8"))) {
    return []
  }
  /** @type {ReadonlyArray<string>} */
  const sources = JSON.parse(readFileSync(`${file}.map`, "utf8")).sources
  return sources.map((source) => resolve(dirname(file), source))
}

/**
 * Returns the packages whose code a program contains, sorted by name and version, with their license texts. Source maps name
 * the source of each line.
 *
 * @param {string} folder
 * @param {string} program
 */
export const bundledPackages = (folder, program) => {
  const directories = scriptsOf(folder, program).flatMap((script) => sourcesOf(join(folder, script)))
    .flatMap((source) =>
      /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+(?=[/\\])/.exec(source)?.[0] ?? []
    )
  const packages = [...new Set(directories)].map((directory) => {
    /** @type {{ readonly name: string, readonly version: string, readonly license?: string }} */
    const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"))
    const texts = readdirSync(directory).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort()
      .map((file) => readFileSync(join(directory, file), "utf8").replaceAll("\r\n", "\n").trim())
    // What a package contains without saying so, as WebAssembly of other programs
    const parts = new URL(`licenses/${manifest.name}.txt`, import.meta.url)
    if (existsSync(parts)) texts.push(readFileSync(parts, "utf8").trim())
    if (manifest.license === undefined && texts.length === 0) {
      throw new Error(`${manifest.name} has no license`)
    }
    return { manifest, title: `${manifest.name} ${manifest.version}`, text: texts.join("\n\n") }
  })
  return [...new Map(packages.map((one) => [one.title, one])).values()].sort((a, b) =>
    a.title < b.title ? -1 : 1
  )
}

/**
 * Returns the text of THIRD-PARTY-LICENSES.
 *
 * @param {ReturnType<typeof bundledPackages>} packages
 */
export const licenseTexts = (packages) => {
  const line = "-".repeat(80)
  return packages.map(({ manifest, text, title }) =>
    `${line}\n${title} (${manifest.license ?? "see below"})\n${line}\n\n${text}\n`
  ).join("\n")
}
