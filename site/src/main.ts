/** Writes the content of the site to `.content`: pages, and the texts for language models. */
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { textFiles } from "./LlmsText.ts"
import { apiFolder } from "./Navigation.ts"
import { sitePages } from "./Site.ts"

const site = fileURLToPath(new URL("../", import.meta.url))
const content = join(site, ".content")

const pages = await Effect.runPromise(sitePages(join(site, "..")))

const files = new Map([
  ...pages.map(({ path, text }) => [path, text] as const),
  ...[...textFiles(pages)].map(([path, text]) => [`public/${path}`, text] as const),
  ["public/logo.svg", readFileSync(join(site, "logo.svg"), "utf8")]
])

mkdirSync(content, { recursive: true })
for (const name of readdirSync(content, { recursive: true, encoding: "utf8" })) {
  const path = name.replaceAll("\\", "/")
  // The reference of the packages has its own step
  if (path.startsWith(`${apiFolder}/`) || !/\.\w+$/.test(path) || files.has(path)) continue
  rmSync(join(content, path))
}
for (const [path, text] of files) {
  const file = join(content, path)
  // The development server reloads what is written
  if (existsSync(file) && readFileSync(file, "utf8") === text) continue
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
