/** Plugin for TypeDoc: names modules as programs import them, without `src`. */
import { Converter, ReflectionKind } from "typedoc"

/** @param {import("typedoc").Application} app */
export const load = (app) => {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (_, reflection) => {
    if (reflection.kindOf(ReflectionKind.Module)) {
      reflection.name = reflection.name.replace(/\/src(\/index$)?/, "")
    }
  })
}
