/** From a file, the environment and the command line to the configuration, or to everything that is wrong with it. */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as NodePath from "node:path"
import * as Check from "./Check.ts"
import type { Config } from "./Config.ts"
import * as Decode from "./Decode.ts"
import type { Document } from "./Document.ts"
import * as Environment from "./Environment.ts"
import * as Files from "./Files.ts"
import * as Fill from "./Fill.ts"
import * as Path from "./Path.ts"
import * as Problem from "./Problem.ts"
import * as Secrets from "./Secrets.ts"
import * as Values from "./Values.ts"
import * as Variables from "./Variables.ts"
import * as Yaml from "./Yaml.ts"

export interface Options extends Variables.Sources {
  /** The document; where it is undefined, QUARRY_PROXY_CONFIG says where it is, or there is none. */
  readonly file?: string | undefined
}

export interface Loaded {
  readonly config: Config
  /** A line each. */
  readonly warnings: ReadonlyArray<string>
  /** What was read: the document and the files of secrets, by whole paths. */
  readonly files: ReadonlyArray<string>
  /** What was in them then, as `Files.fingerprint` tells. */
  readonly fingerprints: ReadonlyMap<string, string>
  /** What was said, by whomever. */
  readonly document: Document
  /** Who said what is at a path. */
  readonly origin: (path: Path.Path) => Problem.Place
}

export const load = (
  options: Options
): Effect.Effect<Loaded, Problem.ConfigInvalid, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const file = options.file ?? Variables.value(Variables.own.config, options)
    const written = file === undefined ? nothing : yield* readFile(file, options)
    const overlay = Environment.over({ whole: written.whole, value: written.value }, options)
    const decoded = Decode.decode(overlay.value)
    const document = rooted(Either.getOrElse(decoded, () => ({})), file)
    const origin = originOf(overlay.origins, written)
    const place = (finding: Problem.Finding) => Problem.at(origin(finding.path), finding)

    const secrets = yield* readSecrets(document, options.env)
    const values = new Map(
      secrets.flatMap(({ path, value }) => value === undefined ? [] : [[Path.text(path), value] as const])
    )
    const config = Fill.fill(document, values)
    const verdict = Check.check(config, document, [...written.broken, ...overlay.broken])

    const problems = [
      ...written.problems,
      ...overlay.problems,
      // What was sound in the file and in the variables is sound together.
      ...Either.match(decoded, { onLeft: (wrong) => wrong.map(place), onRight: () => [] }),
      ...[...secrets.flatMap(({ problem }) => problem ?? []), ...verdict.wrong].map(place)
    ]
    const fingerprints = new Map([
      ...written.fingerprints,
      ...secrets.flatMap(({ fingerprint, reference }) =>
        reference.file === undefined || fingerprint === undefined
          ? []
          : [[reference.file, fingerprint] as const]
      )
    ])
    if (problems.length > 0) {
      return yield* new Problem.ConfigInvalid({ problems: inOrder(problems), fingerprints })
    }
    const warnings = [
      ...overlay.warnings,
      ...[...secrets.flatMap(({ warning }) => warning ?? []), ...verdict.doubtful].map(place)
    ]
    return {
      config,
      warnings: inOrder(warnings).map(Problem.text),
      files: [...fingerprints.keys()],
      fingerprints,
      document,
      origin
    }
  })

interface Written {
  readonly file: string | undefined
  /** As it was written. */
  readonly whole: unknown
  /** Without what is wrong. */
  readonly value: unknown
  readonly problems: ReadonlyArray<Problem.Problem>
  /** What cannot be relied on. */
  readonly broken: ReadonlyArray<Path.Path>
  readonly position: Yaml.Source["position"]
  readonly fingerprints: ReadonlyMap<string, string>
}

const nothing: Written = {
  file: undefined,
  whole: {},
  value: {},
  problems: [],
  broken: [],
  position: () => null,
  fingerprints: new Map()
}

const readFile = (
  file: string,
  sources: Variables.Sources
): Effect.Effect<Written, never, FileSystem.FileSystem> => {
  const inFile = (position: Problem.Position | null): Problem.Place => ({ _tag: "File", file, position })
  const mistaken = (mistakes: ReadonlyArray<Yaml.Mistake>) =>
    mistakes.map(({ position, problem }) => Problem.at(inFile(position), Problem.finding([], problem)))
  // Of what cannot be read, everything may have been said.
  const unreadable = (mistakes: ReadonlyArray<Yaml.Mistake>, fingerprint: string): Written => ({
    ...nothing,
    file,
    problems: mistaken(mistakes),
    broken: [[]],
    fingerprints: new Map([[NodePath.resolve(file), fingerprint]])
  })
  return Effect.match(Files.read(file, Files.largest), {
    onFailure: ({ fingerprint, problem }) => unreadable([{ position: null, problem }], fingerprint),
    onSuccess: ({ bytes, fingerprint }) =>
      Either.match(Yaml.read(bytes), {
        onLeft: (mistakes) => unreadable(mistakes, fingerprint),
        onRight: ({ mistakes, position, value }) => {
          const wrong = Decode.wrong(value)
            .filter(({ missing, path }) => !(missing && Variables.say(path, sources)))
          return {
            file,
            whole: value,
            value: Decode.sound(value, wrong),
            problems: [
              ...mistaken(mistakes),
              ...wrong.map((finding) => Problem.at(inFile(position(finding)), finding))
            ],
            broken: Decode.broken(wrong),
            position,
            fingerprints: new Map([[NodePath.resolve(file), fingerprint]])
          }
        }
      })
  })
}

/** Files of secrets are looked for from where the document is. */
const rooted = (document: Document, file: string | undefined): Document =>
  Fill.mapReferences(
    document,
    (reference) =>
      reference.file === undefined
        ? reference
        : { file: NodePath.resolve(file === undefined ? "." : NodePath.dirname(file), reference.file) }
  )

const originOf =
  (origins: ReadonlyMap<string, Problem.Place>, { file, position, whole }: Written) =>
  (path: Path.Path): Problem.Place => {
    const said = origins.get(Path.text(path))
    if (said !== undefined) return said
    if (file === undefined || Path.get(whole, path) === undefined) return { _tag: "Default" }
    return { _tag: "File", file, position: position({ path, part: "value" }) }
  }

interface ReadSecret {
  readonly path: Path.Path
  readonly reference: Values.Reference
  readonly value: Redacted.Redacted | undefined
  readonly fingerprint: string | undefined
  readonly problem: Problem.Finding | undefined
  readonly warning: Problem.Finding | undefined
}

const readSecrets = (
  document: Document,
  env: Variables.Variables
): Effect.Effect<ReadonlyArray<ReadSecret>, never, FileSystem.FileSystem> =>
  Effect.forEach(Fill.references(document), ({ path, reference }) => {
    const say = (problem: string | undefined) =>
      problem === undefined ? undefined : Problem.finding(path, problem)
    return Effect.match(Secrets.read(reference, env), {
      onFailure: ({ fingerprint, problem }): ReadSecret => ({
        path,
        reference,
        value: undefined,
        fingerprint,
        problem: say(problem),
        warning: undefined
      }),
      onSuccess: ({ fingerprint, value, warning }): ReadSecret => ({
        path,
        reference,
        value,
        fingerprint,
        problem: path === Fill.redisUrl ? say(Values.redisProblem(Redacted.value(value))) : undefined,
        warning: say(warning)
      })
    })
  })

/** From the top of the file to its end, then what others said. */
const inOrder = (problems: ReadonlyArray<Problem.Problem>): ReadonlyArray<Problem.Problem> => {
  const line = ({ place }: Problem.Problem) =>
    place._tag === "File" ? place.position?.line ?? 0 : Number.MAX_SAFE_INTEGER
  const column = ({ place }: Problem.Problem) => place._tag === "File" ? place.position?.column ?? 0 : 0
  return problems.toSorted((a, b) => line(a) - line(b) || column(a) - column(b))
}
