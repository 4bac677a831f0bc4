/** The site for language models: an index, all pages as one text, and each page as Markdown. See llmstxt.org. */
import { type Page, titleOf } from "./Content.ts"
import { groups } from "./Navigation.ts"

const summary =
  "Blockquarry is a typed client, a command line and a caching proxy for indexed blockchain data APIs: token " +
  "transfers, NFTs, holders, prices and wallet activity over HTTP. It runs on Node.js 20.19 or newer, with Effect 3 or with " +
  "plain promises."

/** Removes what is for the site, and the comments for the tests of code blocks. */
const toPlainText = (text: string): string =>
  text.replace(/^---\n[^]*?\n---\n/, "")
    .replace(/^### Run it here\n[^]*?^<RunOperation .*\n/m, "")
    .replaceAll(/^ *<!-- (?:setup|then|output of|a file|Generated)[^]*?-->\n+/gm, "")
    .trim()

/** Returns the texts by their path in the site. */
export const textFiles = (pages: ReadonlyArray<Page>): ReadonlyMap<string, string> => {
  const found = new Map(pages.map(({ path, text }) => [path, text]))
  const pageAt = (path: string): string => {
    const text = found.get(path)
    if (text === undefined) throw new Error(`Navigation.ts names ${path}, which does not exist`)
    return text
  }
  const index = groups.map(({ pages, text }) =>
    `\n## ${text}\n\n${pages.map((path) => `- [${titleOf(pageAt(path))}](/${path})`).join("\n")}\n`
  )
  const texts = groups.flatMap(({ pages }) => pages).map((path) =>
    [path, `${toPlainText(pageAt(path))}\n`] as const
  )
  const start = `# Blockquarry\n\n> ${summary}\n\n`
  return new Map([
    ...texts,
    [
      "llms.txt",
      `${start}The whole documentation as one file: [llms-full.txt](/llms-full.txt). Every page exists as Markdown too.\n${
        index.join("")
      }`
    ],
    [
      "llms-full.txt",
      `${start}${texts.map(([path, text]) => `<!-- /${path} -->\n\n${text}`).join("\n---\n\n")}`
    ]
  ])
}
