/** Plugin for TypeDoc: names modules as programs import them, without `src` and `dist`, and gives pages and groups a title. */
import { Converter, ReflectionKind } from "typedoc"
import { MarkdownPageEvent } from "typedoc-plugin-markdown"

/** @param {import("typedoc").Application} app */
export const load = (app) => {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (_, reflection) => {
    if (reflection.kindOf(ReflectionKind.Module)) {
      reflection.name = reflection.name.replace(/\/(?:src|dist)(\/index$)?/, "")
    }
  })
  app.renderer.on(MarkdownPageEvent.END, (page) => {
    page.contents = (page.contents ?? "")
      // `http/RateLimit` is the path of a module: its title is its name
      .replace(
        /^# (client|core|http|redis|sandbox)((?:\/[\w.]+)*)$/m,
        (_, name, path) =>
          `# ${
            path === "" ? `@blockquarry/${name}` : path.slice(path.lastIndexOf("/") + 1)
          }\n\n\`@blockquarry/${name}${path}\``
      )
      // The base of a class that a schema or a function makes
      .replaceAll(/^#+ Extends\n\n- (?:(?:`object` & )+.*|`\w+_base`)\n\n/gm, "")
      .replaceAll(/^#+ (?:Overrides|Inherited from)\n\n`\w+_base.*\n\n/gm, "")
      .replaceAll(/^## ([a-z])/gm, (_, first) => `## ${first.toUpperCase()}`)
  })
}
