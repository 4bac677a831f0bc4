import DefaultTheme, { VPHomeFeatures, VPHomeHero } from "vitepress/theme-without-fonts"
import { h } from "vue"
import RunOperation from "./RunOperation.vue"
import SearchStatus from "./SearchStatus.vue"
import "./style.css"

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "layout-top": () => h(SearchStatus) }),
  enhanceApp: (
    { app }: { readonly app: { readonly component: (name: string, component: unknown) => unknown } }
  ) => {
    for (const [name, component] of Object.entries({ RunOperation, VPHomeFeatures, VPHomeHero })) {
      app.component(name, component)
    }
  }
}
