/**
 * Collects the pages of the site. A page is a document of the repository, or generated. Links between documents, which work
 * in the repository, become links between pages. The page of an example shows the files that it links to.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, extname, join, posix, relative, resolve } from "node:path"

export interface Page {
  /** Path in the site, for example `proxy/index.md`. */
  readonly path: string
  readonly text: string
}

/** Documents outside of `docs`, by their path in the repository. */
const documents: Readonly<Record<string, string>> = {
  "site/pages/index.md": "index.md",
  "apps/proxy/deploy/README.md": "proxy/deployment.md",
  "examples/README.md": "examples/index.md",
  "examples/backend/README.md": "examples/backend.md",
  "examples/compose/README.md": "examples/compose.md",
  "examples/export/README.md": "examples/export.md",
  "examples/gateway/README.md": "examples/gateway.md",
  "examples/hono/README.md": "examples/hono.md",
  "examples/testing/README.md": "examples/testing.md",
  "CONTRIBUTING.md": "contributing.md",
  "CHANGELOG.md": "changelog.md",
  "SECURITY.md": "security.md"
}

const sourcesIn = (root: string): ReadonlyMap<string, string> =>
  new Map([
    ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
      .map((file) => file.replaceAll("\\", "/"))
      .filter((file) => file.endsWith(".md"))
      .map((file) => [`docs/${file}`, file.replace(/README\.md$/, "index.md")] as const),
    ...Object.entries(documents).filter(([file]) => existsSync(join(root, file)))
  ])

/** Above a code block that is a file of the repository. */
const sourceFile = "<!-- a file of the example -->"

/** Returns the anchor of a heading, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading.trim().toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")

/** Returns the URL of the repository. */
export const repositoryUrl = (root: string): string => {
  const manifest: { readonly repository: { readonly url: string } } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8")
  )
  return manifest.repository.url.replace(/^git\+/, "").replace(/\.git$/, "")
}

/** Applies a function to the text outside of code blocks. */
const outsideOfCode = (text: string, change: (text: string) => string): string =>
  text.split(/(^ *```[^]*?^ *```$)/m).map((part, index) => index % 2 === 0 ? change(part) : part).join("")

const link = /(?<=\]\()(?!\w+:|#)([^)#\s]+)(#[^)\s]*)?(?=\))/g

/** Reads the documents as pages. Fails with a list of the links that lead nowhere. */
export const documentPages = (
  options: {
    /** Folder of the repository. */
    readonly root: string
    /** Pages that documents may link to although no document contains them, as paths in `docs`. */
    readonly generated: ReadonlySet<string>
  }
): ReadonlyArray<Page> => {
  const { generated, root } = options
  const sources = sourcesIn(root)
  const broken: Array<string> = []

  const target = (source: string, path: string, page: string, shown: Set<string>): string => {
    const file = relative(root, resolve(root, dirname(source), path)).replaceAll("\\", "/")
    const targetPage = sources.get(file) ?? sources.get(`${file}/README.md`) ??
      (generated.has(file.replace(/^docs\//, "")) ? file.replace(/^docs\//, "") : undefined)
    if (targetPage !== undefined) {
      const from = posix.relative(posix.dirname(page), targetPage)
      return from.startsWith(".") ? from : `./${from}`
    }
    if (source.startsWith("examples/") && existsSync(join(root, file))) {
      shown.add(path)
      return `#${anchorOf(path)}`
    }
    broken.push(`${source}: ${path}`)
    return path
  }

  const pages = [...sources].map(([source, path]) => {
    const shown = new Set<string>()
    const text = outsideOfCode(
      readFileSync(join(root, source), "utf8"),
      (text) =>
        text.replaceAll(
          link,
          (_, to: string, anchor: string | undefined) => `${target(source, to, path, shown)}${anchor ?? ""}`
        )
    )
    const files = [...shown].map((file) =>
      `\n## ${file}\n\n${sourceFile}\n\n\`\`\`${extname(file).slice(1)}\n${
        readFileSync(join(root, dirname(source), file), "utf8")
      }\`\`\`\n`
    )
    return { path, text: [text, ...files].join("") }
  })
  if (broken.length > 0) throw new Error(`dead links:\n${broken.join("\n")}`)
  return pages
}

/** Returns the text of the first heading. */
export const titleOf = (text: string): string =>
  /^title: (.+)$/m.exec(text)?.[1] ?? /^# (.+)$/m.exec(text)?.[1]?.replaceAll("`", "") ?? ""
