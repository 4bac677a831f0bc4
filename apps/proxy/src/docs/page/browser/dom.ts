/** Creates and finds elements. Values are set as text, so no value can become markup. */

type Attributes = Readonly<Record<string, string | number | null>>
export type Child = Node | string

const fill = <E extends Element>(element: E, attributes: Attributes, children: ReadonlyArray<Child>): E => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null) element.setAttribute(name, String(value))
  }
  element.append(...children)
  return element
}

/** Creates an HTML element. Attributes that are null are omitted. */
export const h = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: ReadonlyArray<Child>
): HTMLElementTagNameMap[K] => fill(document.createElement(tag), attributes, children)

/** Creates an SVG element. Attributes that are null are omitted. */
export const s = <K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: ReadonlyArray<Child>
): SVGElementTagNameMap[K] =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children)

/** Returns the element with this id, which is part of the page's markup. */
export const byId = (id: string): HTMLElement => {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no element with id "${id}"`)
  return found
}
