import { spawn } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type DefaultTheme, defineConfig } from "vitepress"
import { anchorOf, repositoryUrl, titleOf } from "../src/Content.ts"
import { apiFolder, groups, navigation } from "../src/Navigation.ts"

const content = fileURLToPath(new URL("../.content", import.meta.url))
const documents = fileURLToPath(new URL("../../docs", import.meta.url))
const program = fileURLToPath(new URL("../dist/main.js", import.meta.url))
const repository = repositoryUrl(fileURLToPath(new URL("../..", import.meta.url)))

/** The path below which the site is served, with slashes at both ends. */
const base = process.env["QUARRY_SITE_BASE"] ?? "/"

const conditions = ["@blockquarry/source"]

const linkOf = (page: string): string => `/${page.replace(/(index)?\.md$/, "")}`

const toItem = (page: string): DefaultTheme.SidebarItem => ({
  text: titleOf(readFileSync(`${content}/${page}`, "utf8")),
  link: linkOf(page)
})

const sidebar = groups.map(({ pages, text }): DefaultTheme.SidebarItem => {
  const [first, ...rest] = pages.map(toItem)
  // A first page with the title of its group is the page of the group
  return first?.text === text && first.link !== undefined
    ? { text, link: first.link, items: rest }
    : { text, items: pages.map(toItem) }
})

/** The modules of the reference, by package. */
const apiSidebar = (existsSync(`${content}/${apiFolder}`)
  ? readdirSync(`${content}/${apiFolder}`, { recursive: true, encoding: "utf8" })
  : [])
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".md") && file !== "index.md" && !file.includes("/namespaces/"))
  .sort()
const apiPackages = ["client", "http", "core", "redis", "sandbox"]
const api = apiPackages.map((name) => ({
  text: `@blockquarry/${name}`,
  items: apiSidebar.filter((file) => file.startsWith(`${name}/`) || file === `${name}.md`).map((file) => ({
    text: file.replace(/(\/index)?\.md$/, "").slice(name.length + 1) || name,
    link: linkOf(`${apiFolder}/${file}`)
  }))
}))

/** The part of Vite's server that the plugin needs. */
interface DevelopmentServer {
  readonly watcher: {
    readonly add: (folder: string) => unknown
    readonly on: (event: "change", listener: (file: string) => void) => unknown
  }
}

interface Renderer {
  readonly render: (text: string, env: object) => string
}

/**
 * Returns what the search finds of a page, so that the index stays small: of code the names in sentences; headings of pages for
 * maintainers, and of the interface, whose fields are on the pages of operations; of the reference the names of modules and what they
 * export.
 */
const searchText = (path: string, html: string): string => {
  const headings = path.startsWith(`${apiFolder}/`)
    ? /<h([13])[^]*?<\/h\1>/g
    : /^(?:decisions\/|(?:architecture|changelog|contributing|interface|performance|releases)\.)/.test(path)
    ? /<h(\d)[^]*?<\/h\1>/g
    : null
  return headings === null
    ? html.replaceAll(/<pre[^]*?<\/pre>/g, "")
    : html.match(headings)?.join("\n") ?? ""
}

/** Reads the documents again when one changes. */
const watchDocuments = {
  name: "watch-documents",
  configureServer: ({ watcher }: DevelopmentServer) => {
    watcher.add(documents)
    watcher.on("change", (file) => {
      if (file.startsWith(documents)) spawn(process.execPath, [program], { stdio: "inherit" })
    })
  }
}

export default defineConfig({
  title: "Blockquarry",
  description: "Typed client, command line and caching proxy for indexed blockchain data APIs",
  lang: "en-US",
  base,
  srcDir: ".content",
  srcExclude: ["public/**"],
  outDir: "dist/site",
  cacheDir: "node_modules/.cache/vitepress",
  cleanUrls: false,
  metaChunk: true,
  head: [["link", { rel: "icon", type: "image/svg+xml", href: `${base}logo.svg` }]],
  vite: {
    plugins: [watchDocuments],
    // Examples run the sources of the workspace
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    build: { chunkSizeWarningLimit: 500 }
  },
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    // As GitHub does, so that links to headings work in both
    anchor: { slugify: anchorOf }
  },
  themeConfig: {
    logo: { src: "/logo.svg", alt: "" },
    nav: [...navigation],
    sidebar: { "/": sidebar, [`/${apiFolder}/`]: api },
    externalLinkIcon: true,
    outline: { level: [2, 3] },
    search: {
      provider: "local",
      options: {
        _render: (text: string, env: { readonly relativePath: string }, markdown: Renderer) =>
          searchText(env.relativePath, markdown.render(text, env)),
        miniSearch: {
          options: {
            // Words, and Next.js also as nextjs
            tokenize: (text: string) => [
              ...text.split(/[\n\r\p{Z}\p{P}]+/u),
              ...(text.match(/\w+\.js\b/g) ?? []).map((name) => name.replace(".", ""))
            ]
          },
          searchOptions: {
            // Pages for users come before the reference, and before pages for maintainers
            boostDocument: (id: string) =>
              /\/(?:api|decisions)\/|\/(architecture|contributing|performance)\./.test(id) ? 0.3 : 1,
            // The 4 of "Effect 4" is not the beginning of 404
            prefix: (term: string) => term.length > 2
          }
        }
      }
    },
    socialLinks: [{ icon: "github", link: repository, ariaLabel: "Repository" }],
    docFooter: { prev: "Previous", next: "Next" },
    footer: {
      message: `MIT license · <a href="${base}llms.txt">llms.txt</a>`
    }
  }
})
