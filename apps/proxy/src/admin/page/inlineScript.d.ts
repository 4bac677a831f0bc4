declare module "*?inline-script" {
  /** The text of the module and its imports, bundled as one classic script. Made by `scripts/inlineScript.mjs`. */
  export const script: string
}
