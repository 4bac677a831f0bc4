/** The site for language models: an index, and all pages as one text. See llmstxt.org. */
import { type Page, titleOf } from "./Content.ts"
import { groups } from "./Navigation.ts"

const summary =
  "Blockquarry is a typed client, a command line and a caching proxy for indexed blockchain data APIs: token " +
  "transfers, NFTs, holders, prices and wallet activity over HTTP. It runs on Node.js 20.19 or newer, with Effect 3 or with " +
  "plain promises."

const toPlainText = (text: string): string =>
  text.replace(/^---\n[^]*?\n---\n/, "").replace(/^### Run it here\n[^]*?^<RunOperation .*\n/m, "").trim()

const byPath = (pages: ReadonlyArray<Page>): (path: string) => Page => {
  const found = new Map(pages.map((page) => [page.path, page]))
  return (path) => {
    const page = found.get(path)
    if (page === undefined) throw new Error(`Navigation.ts names ${path}, which does not exist`)
    return page
  }
}

/** Returns `llms.txt`. */
export const llmsIndex = (pages: ReadonlyArray<Page>): string => {
  const pageAt = byPath(pages)
  return `# Blockquarry

> ${summary}

The whole documentation as one file: [llms-full.txt](/llms-full.txt). Every page exists as Markdown too.
${
    groups.map(({ pages, text }) =>
      `\n## ${text}\n\n${pages.map((path) => `- [${titleOf(pageAt(path).text)}](/${path})`).join("\n")}\n`
    ).join("")
  }`
}

/** Returns `llms-full.txt`. */
export const llmsText = (pages: ReadonlyArray<Page>): string => {
  const pageAt = byPath(pages)
  return `# Blockquarry\n\n> ${summary}\n\n${
    groups.flatMap(({ pages }) => pages)
      .map((path) => `<!-- /${path} -->\n\n${toPlainText(pageAt(path).text)}\n`).join("\n---\n\n")
  }`
}
