/** Finds the names in PromQL expressions. Covers only the grammar that this needs; promtool validates the rest. */

interface Matcher {
  readonly label: string
  readonly operator: string
  readonly value: string
}

interface Selector {
  readonly metric: string
  readonly matchers: ReadonlyArray<Matcher>
}

export interface Names {
  readonly selectors: ReadonlyArray<Selector>
  /** Labels in matchers and groupings. */
  readonly grouped: ReadonlyArray<string>
}

const token = /"(?:[^"\\]|\\.)*"|\{[^}]*\}|\[[^\]]*\]|\d[\w.]*|[A-Za-z_:][\w:]*|\S/g

const grouping = new Set(["by", "without", "on", "ignoring", "group_left", "group_right"])

const words = new Set(["and", "or", "unless", "bool", "offset"])

const isName = (text: string): boolean => /^[A-Za-z_:]/.test(text)

export const read = (expression: string): Names => {
  const tokens: ReadonlyArray<string> = expression.match(token) ?? []
  const selectors: Array<Selector> = []
  const grouped: Array<string> = []
  let at = 0
  while (at < tokens.length) {
    const here = tokens[at] ?? ""
    const next = tokens[at + 1] ?? ""
    at += 1
    if (!isName(here) || words.has(here)) continue
    if (grouping.has(here)) {
      const end = tokens.indexOf(")", at)
      grouped.push(...tokens.slice(at, end).filter(isName))
      at = end + 1
    } else if (next !== "(" && next !== "by" && next !== "without") {
      selectors.push({ metric: here, matchers: next.startsWith("{") ? matchers(next) : [] })
    }
  }
  return { selectors, grouped }
}

const matchers = (braces: string): ReadonlyArray<Matcher> =>
  [...braces.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map((
    [, label = "", operator = "", value = ""]
  ) => ({
    label,
    operator,
    value
  }))
