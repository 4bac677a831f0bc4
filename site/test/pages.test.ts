/** Pages are complete, and generated from the descriptions of the operations. */
import { isList } from "@blockquarry/core/Operation"
import { ListOperationError } from "@blockquarry/core/OperationError"
import { allOperations } from "@blockquarry/core/Operations"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import { describe } from "vitest"
import { titleOf } from "../src/Content.ts"
import { textFiles } from "../src/LlmsText.ts"
import { groups, navigation } from "../src/Navigation.ts"
import { sitePages } from "../src/Site.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

// Fails if a link of a document leads nowhere
const pages = await Effect.runPromise(sitePages(root))
const textOf = (path: string): string => pages.find((page) => page.path === path)?.text ?? ""

it("the navigation has every page once", () => {
  const listed = groups.flatMap(({ pages }) => pages)
  expect(listed.toSorted()).toEqual(
    pages.map(({ path }) => path).filter((path) => path !== "index.md").toSorted()
  )
})

it("every page has a title", () => {
  expect(pages.filter(({ text }) => titleOf(text) === "")).toEqual([])
})

describe.each(allOperations)("the page of $id", (operation) => {
  const text = textOf(`operations/${operation.id}.md`)
  const sections = new Map(
    text.split(/^## /m).slice(1).map((section) => [section.slice(0, section.indexOf("\n")), section] as const)
  )

  it("has the cost, the TTL and an example for each way to call it", () => {
    expect(text).toContain(`| Cost | ${operation.cost} unit`)
    expect(text).toMatch(/\| Cache TTL \| \S/)
    expect([...text.matchAll(/^```\w+ \[(.*)\]$/gm)].map(([, title]) => title))
      .toEqual(["Promises", "Effect", "Command line", "curl through the proxy"])
  })

  it("has every parameter with its description", () => {
    for (const { description, name } of operation.parameters) {
      expect(sections.get("Parameters")).toMatch(
        new RegExp(`\\| \`${name}\`.*\\| ${description.replace(/[()]/g, "\\$&")}`)
      )
    }
  })

  it("has the fields that the sandbox returns, with types", () => {
    const response = sections.get("Response") ?? ""
    const document: object = JSON.parse(/```json\n([^]*?)```/.exec(response)?.[1] ?? "{}")
    const names = Object.keys(document)
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) expect(response).toMatch(new RegExp(`\\| \`${name}\` \\| \`\\S`))
  })

  it("has the errors that it can fail with", () => {
    const errors = sections.get("Errors") ?? ""
    expect(errors).toContain("| [`NotFoundError`](../errors.md#notfounderror) |")
    expect(errors.includes("PaginationError")).toBe(isList(operation))
  })
})

it("every error has a section with its cause and what to do", () => {
  const sections = textOf("errors.md").split(/^### /m).slice(1)
  expect(sections.map((section) => section.slice(0, section.indexOf("\n"))).toSorted()).toEqual(
    ListOperationError.members.map(({ _tag }) => _tag).toSorted()
  )
  for (const section of sections) {
    expect(section).toMatch(/^\w+\n\n- \*\*Cause:\*\* \S[^]*\n- \*\*Retryable:\*\* \S[^]*\n- \*\*Fix:\*\* \S/)
  }
})

it("every page belongs to one entry of the navigation", () => {
  for (const path of groups.flatMap(({ pages }) => pages)) {
    const links = navigation.filter(({ activeMatch }) => new RegExp(activeMatch).test(`/${path}`))
    expect(links.map(({ text }) => text), path).toHaveLength(1)
  }
})

describe("the texts for language models", () => {
  const files = textFiles(pages)
  const documents = pages.map(({ path }) => path).filter((path) => path !== "index.md")

  it("have every page", () => {
    for (const path of documents) {
      expect(files.get("llms.txt")).toContain(`](/${path})`)
      expect(files.get("llms-full.txt")).toContain(`<!-- /${path} -->\n\n${files.get(path)}`)
    }
  })

  it("have no comments for the tests, and all code blocks", () => {
    for (const path of documents) {
      expect(files.get(path)).not.toContain("<!--")
      expect(files.get(path)?.split("```")).toHaveLength(textOf(path).split("```").length)
    }
  })
})
