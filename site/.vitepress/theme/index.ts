import DefaultTheme from "vitepress/theme-without-fonts"
import RunOperation from "./RunOperation.vue"
import "./style.css"

export default {
  extends: DefaultTheme,
  enhanceApp: (
    { app }: { readonly app: { readonly component: (name: string, component: unknown) => unknown } }
  ) => {
    app.component("RunOperation", RunOperation)
  }
}
