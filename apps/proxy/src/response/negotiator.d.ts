/** The part of `negotiator` that the proxy uses. `@types/negotiator` lacks the option `preferred`. */
declare module "negotiator" {
  export default class Negotiator {
    constructor(request: { readonly headers: { readonly "accept-encoding": string } })
    /** Returns the available encoding with the highest weight, and the first of `preferred` among equals. */
    encoding<E extends string>(
      available: ReadonlyArray<E>,
      options: { readonly preferred: ReadonlyArray<E> }
    ): E | undefined
  }
}
