/** Validates Kubernetes manifests against the official schemas, and finds unknown fields, which those allow. */
import { Deployment } from "kubernetes-models/apps/v1/Deployment"
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler"
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy"
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget"
import { ConfigMap } from "kubernetes-models/v1/ConfigMap"
import { Namespace } from "kubernetes-models/v1/Namespace"
import { Secret } from "kubernetes-models/v1/Secret"
import { Service } from "kubernetes-models/v1/Service"
import { ServiceAccount } from "kubernetes-models/v1/ServiceAccount"

export const models = {
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  Secret,
  Service,
  ServiceAccount
} as const

export type Kind = keyof typeof models

export const isKind = (kind: unknown): kind is Kind => typeof kind === "string" && Object.hasOwn(models, kind)

export interface Model {
  readonly kind: string
  readonly validate: () => void
}

export const modelOf = (kind: Kind): new() => Model => models[kind]

/** Parses a document by its kind. Throws if the schema of Kubernetes rejects it. */
export const read = <M extends Model>(make: new() => M, document: object): M => {
  const model = Object.assign(new make(), document)
  model.validate()
  return model
}

/**
 * Returns the paths of unknown fields. The schemas allow them, and Kubernetes drops them. Validation reads every known
 * field, so a field that is never read is unknown.
 */
export const unknownNames = (make: new() => Model, document: object): ReadonlyArray<string> => {
  const seen = new Set<string>()
  const watched = (value: object, path: string): object =>
    new Proxy(value, {
      get: (target, name) => {
        const inner: unknown = Reflect.get(target, name)
        if (typeof name === "symbol") return inner
        seen.add(`${path}.${name}`)
        return typeof inner === "object" && inner !== null ? watched(inner, `${path}.${name}`) : inner
      }
    })
  const validate = make.prototype.validate
  Reflect.apply(validate, watched(document, ""), [])
  return pathsOf(document, "").filter((path) => !seen.has(path)).map((path) => path.slice(1))
}

const pathsOf = (value: unknown, path: string): ReadonlyArray<string> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => [
      `${path}.${name}`,
      ...pathsOf(inner, `${path}.${name}`)
    ])
    : []
