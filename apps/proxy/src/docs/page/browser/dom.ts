/// <reference lib="dom" />
/**
 * Making elements in the browser. Text is set as text: no value that the page shows can become markup.
 *
 * The pages carry the source of the functions of this folder, so each refers to nothing but what it is given.
 */

export type Attributes = Readonly<Record<string, string | number | null>>
export type Child = Node | string

export const dom = () => {
  const fill = <E extends Element>(element: E, attributes: Attributes, children: ReadonlyArray<Child>): E => {
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null) element.setAttribute(name, String(value))
    }
    element.append(...children)
    return element
  }
  return {
    /** An element of the page. */
    h: <K extends keyof HTMLElementTagNameMap>(
      tag: K,
      attributes: Attributes = {},
      ...children: ReadonlyArray<Child>
    ): HTMLElementTagNameMap[K] => fill(document.createElement(tag), attributes, children),
    /** An element of a drawing. */
    s: <K extends keyof SVGElementTagNameMap>(
      tag: K,
      attributes: Attributes = {},
      ...children: ReadonlyArray<Child>
    ): SVGElementTagNameMap[K] =>
      fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children),
    /** The element with an id; the page has it from the start. */
    byId: (id: string): HTMLElement => {
      const found = document.getElementById(id)
      if (found === null) throw new Error(`the page has no element ${id}`)
      return found
    }
  }
}

export type Dom = ReturnType<typeof dom>
