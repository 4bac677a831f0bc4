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

describe("every document", () => {
  it("is valid", () => {
    for (const document of documents) {
      const model = models[Object(document).kind]
      if (model !== undefined) Object.assign(new model(), document).validate()
    }
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
    const [secrets, config] = [Configs.secretsFolder.kubernetes, "/etc/quarry-proxy"]
    // A replica count would override the autoscaler on each apply
    expect(Object(deployment).spec).not.toHaveProperty("replicas")
    expect(container).toMatchObject({
      args: ["--config", Configs.file],
      ports: [
        { name: "http", containerPort: listen.port },
        { name: "admin", containerPort: admin?.port }
      ],
      volumeMounts: [
        { name: "config", mountPath: config, readOnly: true },
        { name: "secrets", mountPath: secrets, readOnly: true }
      ]
    })
    const [{ stringData }, { data }] = [...ofKind("Secret"), ...ofKind("ConfigMap")].map(Object)
    expect(files.toSorted()).toEqual([
      ...Object.keys(data).map((name) => `${config}/${name}`),
      ...Object.keys(stringData).map((name) => `${secrets}/${name}`)
    ].toSorted())
    for (const value of Object.values(stringData)) expect(value).toContain("REPLACE-WITH-")
    // Every selector matches the pods
    const { matchLabels } = Object(deployment).spec.selector
    const selectors = documents.flatMap((document) => {
      const { podSelector, selector } = Object(Object(document).spec)
      const labels = podSelector ?? selector
      return labels === undefined ? [] : [labels.matchLabels ?? labels]
    })
    expect(selectors.length).toBeGreaterThan(4)
    expect(selectors).toEqual(selectors.map(() => matchLabels))
    // Only the upstreams and services that the proxy uses
    const upstreamPorts = new Set(
      Object.values(upstream.baseUrls).map((url) => Number(new URL(url ?? "").port || 443))
    )
    expect(ofKind("NetworkPolicy")).toMatchObject([{
      spec: {
        ingress: [{ ports: [{ port: "http" }] }, { ports: [{ port: "admin" }] }],
        egress: [
          { ports: [{ port: 53 }, { port: 53 }] },
          { ports: [{ port: Number(new URL(stringData["redis-url"]).port) }] },
          { ports: [...upstreamPorts].map((port) => ({ port })) }
        ]
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
