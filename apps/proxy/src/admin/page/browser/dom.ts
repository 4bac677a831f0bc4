/** Creates and finds elements. Values are set as text, so no value can become markup. */

type Attributes = Readonly<Record<string, string | number>>
export type Child = Node | string

const fill = <E extends Element>(element: E, parts: ReadonlyArray<Attributes | Child>): E => {
  for (const part of parts) {
    if (typeof part === "string" || part instanceof Node) element.append(part)
    else for (const [name, value] of Object.entries(part)) element.setAttribute(name, String(value))
  }
  return element
}

/** Creates an HTML element: `h("p.muted", { tabindex: 0 }, "text")`. Several classes follow one dot. */
export const h = (tag: string, ...parts: ReadonlyArray<Attributes | Child>): HTMLElement => {
  const [name = "", classes] = tag.split(".")
  return fill(document.createElement(name), [...(classes ? [{ class: classes }] : []), ...parts])
}

export const s = (tag: string, ...parts: ReadonlyArray<Attributes | Child>): SVGElement =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), parts)

export const byId = (id: string): HTMLElement => {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no element with id "${id}"`)
  return found
}
