/** The cost table that an upstream publishes: the JSON of its `/info/endpointWeights`. */
import { parse } from "@blockquarry/core/LosslessJson"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as References from "./References.ts"
import { ResolvedPath } from "./ValueSchemas.ts"

const Units = Schema.Union(Schema.Int, Schema.NumberFromString.pipe(Schema.int())).pipe(
  Schema.between(0, 1e9)
)

const Weights = Schema.Array(
  Schema.Struct({
    path: Schema.String.pipe(Schema.pattern(/^\/[\w{}./-]{0,512}$/)),
    price: Units,
    rateLimitCost: Units
  })
).pipe(Schema.minItems(1), Schema.maxItems(10_000))

/** The costs of a path, whose parameters are written `{name}`, below the prefix of the data API. */
export type EndpointWeight = typeof Weights.Type[number]

/** Returns the table, or why a text is none. */
export const decode = (text: string): Either.Either<ReadonlyArray<EndpointWeight>, string> =>
  Either.flatMap(
    Either.mapLeft(parse(text), ({ message }) => `not JSON: ${message}`),
    (document) =>
      Either.mapLeft(
        Schema.decodeUnknownEither(Weights)(document),
        () =>
          `expected the JSON of /info/endpointWeights: [{"path":"/erc20/{address}/price","price":"50","rateLimitCost":"5"}]`
      )
  )

/** The file of a table, which is read when its path is decoded. */
export const WeightsFile = Schema.transformOrFail(
  ResolvedPath,
  Schema.Struct({ path: Schema.String, weights: Schema.typeSchema(Weights) }),
  {
    strict: true,
    decode: (path, _, ast) =>
      Effect.map(References.read(ast, { file: path }, decode), (weights) => ({ path, weights })),
    encode: ({ path }) => ParseResult.succeed(path)
  }
).annotations(ResolvedPath.ast.annotations)

/** A path without the names of its parameters. */
export const shapeOf = (path: string): string => path.replace(/:\w+/g, ":")
