/** Kubernetes manifests: valid by the schemas of Kubernetes, hardened, and consistent with the configuration. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Deployment } from "kubernetes-models/apps/v1/Deployment"
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler"
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy"
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget"
import { ConfigMap } from "kubernetes-models/v1/ConfigMap"
import { Namespace } from "kubernetes-models/v1/Namespace"
import { Secret } from "kubernetes-models/v1/Secret"
import { Service } from "kubernetes-models/v1/Service"
import { ServiceAccount } from "kubernetes-models/v1/ServiceAccount"
import * as Configs from "./support/configs.ts"
import * as Files from "./support/files.ts"

const models: Readonly<Record<string, new() => { readonly validate: () => void }>> = {
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  Secret,
  Service,
  ServiceAccount
}

const kustomization = Files.document("kubernetes/kustomization.yaml")

const documents = Files.filesIn("kubernetes").flatMap((file) => Files.documents(`kubernetes/${file}`))

const ofKind = (kind: string) => documents.filter((document) => Object(document).kind === kind)

const [deployment] = ofKind("Deployment")
const pod = Object(deployment).spec.template.spec
const [container] = pod.containers

/** The paths of all fields of a document. */
const fieldsOf = (value: unknown, path = ""): ReadonlyArray<string> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => [
      `${path}.${name}`,
      ...fieldsOf(inner, `${path}.${name}`)
    ])
    : []

/**
 * Returns the fields that Kubernetes would drop. Its schemas allow them. Validation reads every field that it knows, so a
 * field that it does not read is unknown.
 */
const unknownFields = (model: new() => { readonly validate: () => void }, document: object) => {
  const read = new Set<string>()
  const watched = (value: object, path: string): object =>
    new Proxy(value, {
      get: (target, name) => {
        const inner: unknown = Reflect.get(target, name)
        if (typeof name === "symbol") return inner
        read.add(`${path}.${name}`)
        return typeof inner === "object" && inner !== null ? watched(inner, `${path}.${name}`) : inner
      }
    })
  Reflect.apply(model.prototype.validate, watched(document, ""), [])
  return fieldsOf(document).filter((path) => !read.has(path))
}

describe("every document", () => {
  it("is valid, without fields that Kubernetes drops", () => {
    for (const document of documents) {
      const { kind } = Object(document)
      const model = models[kind]
      if (model === undefined) continue
      Object.assign(new model(), document).validate()
      expect([kind, unknownFields(model, document)]).toEqual([kind, []])
    }
    const broken = { ...deployment, spec: { ...Object(deployment).spec, replicaz: 3 } }
    expect(unknownFields(Deployment, broken)).toEqual([".spec.replicaz"])
  })

  it("is in the kustomization, except the example secret and optional documents", () => {
    const left = ["kustomization.yaml", "secret.example.yaml"]
    expect(Object(kustomization).resources.toSorted()).toEqual(
      Files.filesIn("kubernetes").filter((file) => !left.includes(file) && !file.startsWith("optional/"))
    )
    expect(kustomization).toMatchObject({ namespace: "quarry", images: [{ name: container.image }] })
    expect(ofKind("Namespace")).toMatchObject([{ metadata: { name: "quarry" } }])
  })
})

it.effect("the documents name the same pods, ports, files and accounts as the configuration", () =>
  Effect.gen(function*() {
    const { config: { admin, listen, upstream }, files, warnings } = yield* Configs.load("kubernetes")
    expect([warnings, listen.host, admin?.host]).toEqual([[], "0.0.0.0", "0.0.0.0"])
    const matchLabels = { "app.kubernetes.io/name": "quarry-proxy" }
    const [secrets, config] = [Configs.secretsFolder.kubernetes, "/etc/quarry-proxy"]
    expect(deployment).toMatchObject({
      spec: {
        selector: { matchLabels },
        // A replica count would override the autoscaler on each apply
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
        template: { metadata: { labels: matchLabels } }
      }
    })
    expect(Object(deployment).spec).not.toHaveProperty("replicas")
    expect(pod).toMatchObject({
      topologySpreadConstraints: [1, 2].map(() => ({ labelSelector: { matchLabels } })),
      containers: [{
        args: ["--config", Configs.file],
        ports: [
          { name: "http", containerPort: listen.port },
          { name: "admin", containerPort: admin?.port }
        ],
        startupProbe: { httpGet: { path: "/livez", port: "admin" } },
        livenessProbe: { httpGet: { path: "/livez", port: "admin" } },
        readinessProbe: { httpGet: { path: "/readyz", port: "http" } },
        volumeMounts: [
          { name: "config", mountPath: config, readOnly: true },
          { name: "secrets", mountPath: secrets, readOnly: true }
        ]
      }],
      volumes: [
        { name: "config", configMap: { name: "quarry-proxy" } },
        { name: "secrets", secret: { secretName: "quarry-proxy", defaultMode: 0o440 } }
      ]
    })
    const [{ stringData }, { data }] = [...ofKind("Secret"), ...ofKind("ConfigMap")].map(Object)
    expect(files.toSorted()).toEqual([
      ...Object.keys(data).map((name) => `${config}/${name}`),
      ...Object.keys(stringData).map((name) => `${secrets}/${name}`)
    ].toSorted())
    for (const value of Object.values(stringData)) expect(value).toContain("REPLACE-WITH-")
    expect(ofKind("Service")).toMatchObject([
      { spec: { selector: matchLabels, ports: [{ port: listen.port, targetPort: "http" }] } },
      {
        spec: {
          clusterIP: "None",
          selector: matchLabels,
          ports: [{ port: admin?.port, targetPort: "admin" }]
        }
      }
    ])
    expect(ofKind("HorizontalPodAutoscaler")).toMatchObject([
      { spec: { scaleTargetRef: { kind: "Deployment", name: "quarry-proxy" }, minReplicas: 2 } }
    ])
    expect(ofKind("PodDisruptionBudget")).toMatchObject([
      { spec: { maxUnavailable: 1, selector: { matchLabels } } }
    ])
    // Only the upstreams and services that the proxy uses
    const upstreamPorts = new Set(
      Object.values(upstream.baseUrls).map((url) => Number(new URL(url ?? "").port || 443))
    )
    expect(ofKind("NetworkPolicy")).toMatchObject([{
      spec: {
        podSelector: { matchLabels },
        policyTypes: ["Ingress", "Egress"],
        ingress: [{ ports: [{ port: "http" }] }, { ports: [{ port: "admin" }] }],
        egress: [
          { ports: [{ port: 53 }, { port: 53 }] },
          { ports: [{ port: Number(new URL(stringData["redis-url"]).port) }] },
          { ports: [...upstreamPorts].map((port) => ({ port })) }
        ]
      }
    }])
    // The alert rules use the label of the job
    expect(ofKind("PodMonitor")).toMatchObject([{
      spec: {
        jobLabel: "app.kubernetes.io/name",
        selector: { matchLabels },
        podMetricsEndpoints: [{ port: "admin", path: "/metrics" }]
      }
    }])
  }))

it("pods meet the restricted Pod Security Standard", () => {
  expect(pod).toMatchObject({
    serviceAccountName: "quarry-proxy",
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } }
  })
  expect(pod.securityContext.fsGroup).toBe(pod.securityContext.runAsGroup)
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] }
  })
  expect(ofKind("ServiceAccount")).toMatchObject([{
    metadata: { name: "quarry-proxy" },
    automountServiceAccountToken: false
  }])
})

it.effect("pods have time for graceful shutdown, and memory for the configuration", () =>
  Effect.gen(function*() {
    const { config } = yield* Configs.load("kubernetes")
    const [delay, timeout] = [config.shutdown.delay, config.shutdown.timeout].map(Duration.toSeconds)
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(delay) + Number(timeout) + 5)
    const { failureThreshold, periodSeconds, timeoutSeconds } = container.readinessProbe
    expect(delay).toBeGreaterThanOrEqual(periodSeconds * failureThreshold + timeoutSeconds)
    const mebibytes = Number(/^(\d+)Mi$/.exec(container.resources.limits.memory)?.[1])
    expect(mebibytes).toBeGreaterThanOrEqual(Configs.worstCaseMemory(config))
    expect(Files.text("prometheus/rules.yaml")).toMatch(
      new RegExp(`record: quarry_proxy:memory_limit_bytes\\s+expr: vector\\(${mebibytes * 2 ** 20}\\)`)
    )
  }))
