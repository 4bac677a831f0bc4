/** Kubernetes manifests: schema, configuration and consistency. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Configs from "./support/configs.ts"
import * as Files from "./support/files.ts"
import * as Kubernetes from "./support/kubernetes.ts"

const { models } = Kubernetes

const manifests = Files.filesIn("kubernetes").flatMap((file) =>
  Files.documents(`kubernetes/${file}`).map((document) => ({ file, document, kind: Object(document).kind }))
)

const known = manifests.flatMap(({ document, file, kind }) =>
  Kubernetes.isKind(kind) ? [{ document, file, kind }] : []
)

const ofKind = <M extends Kubernetes.Model>(make: new() => M): ReadonlyArray<M> =>
  known.filter(({ kind }) => kind === make.name).map(({ document }) => Kubernetes.read(make, document))

const only = <M extends Kubernetes.Model>(make: new() => M): M => {
  const [first, second] = ofKind(make)
  if (first === undefined || second !== undefined) throw new Error(`not just one ${make.name}`)
  return first
}

const deployment = only(models.Deployment)
const autoscaler = only(models.HorizontalPodAutoscaler)
const policy = only(models.NetworkPolicy)
const disruptions = only(models.PodDisruptionBudget)
const configMap = only(models.ConfigMap)
const secret = only(models.Secret)
const account = only(models.ServiceAccount)
const services = ofKind(models.Service)

const pod = deployment.spec?.template.spec
const podLabels = deployment.spec?.template.metadata?.labels
const [container, another] = pod?.containers ?? []
const ports = new Map(container?.ports?.map(({ containerPort, name }) => [name, containerPort]))

const kustomization = Schema.decodeUnknownSync(
  Schema.Struct({
    kind: Schema.Literal("Kustomization"),
    namespace: Schema.String,
    resources: Schema.Array(Schema.String),
    images: Schema.Tuple(Schema.Struct({ name: Schema.String }))
  })
)(Files.document("kubernetes/kustomization.yaml"))

describe("every document", () => {
  it("is valid, without fields that Kubernetes drops", () => {
    for (const { document, file, kind } of known) {
      Kubernetes.read(Kubernetes.modelOf(kind), document)
      expect(Kubernetes.unknownNames(Kubernetes.modelOf(kind), document), `${kind} of ${file}`).toEqual([])
    }
    const broken = { ...deployment.toJSON(), spec: { ...deployment.spec, replicaz: 3 } }
    expect(Kubernetes.unknownNames(models.Deployment, broken)).toEqual(["spec.replicaz"])
  })

  it("is in the kustomization, except the example secret and optional documents", () => {
    const left = ["kustomization.yaml", "secret.example.yaml"]
    expect(kustomization.resources.toSorted()).toEqual(
      Files.filesIn("kubernetes").filter((file) => !left.includes(file) && !file.startsWith("optional/"))
    )
    expect(kustomization.images[0].name).toBe(container?.image)
    expect(ofKind(models.Namespace)).toMatchObject([{ metadata: { name: kustomization.namespace } }])
  })
})

describe("labels and names", () => {
  it("select the same pods everywhere", () => {
    for (
      const selector of [
        deployment.spec?.selector.matchLabels,
        disruptions.spec?.selector?.matchLabels,
        policy.spec?.podSelector?.matchLabels,
        ...services.map(({ spec }) => spec?.selector),
        ...(pod?.topologySpreadConstraints?.map(({ labelSelector }) => labelSelector?.matchLabels) ?? [])
      ]
    ) expect(selector).toEqual(podLabels)
    const { apiVersion, kind, metadata } = deployment
    expect(autoscaler.spec?.scaleTargetRef).toEqual({ apiVersion, kind, name: metadata?.name })
    expect(pod?.serviceAccountName).toBe(account.metadata?.name)
    // The alert rules use the label of the job
    const jobLabel = "app.kubernetes.io/name"
    expect(podLabels?.[jobLabel]).toBe("quarry-proxy")
    expect(Files.document("kubernetes/optional/podmonitor.yaml")).toMatchObject({
      kind: "PodMonitor",
      spec: {
        jobLabel,
        selector: { matchLabels: podLabels },
        podMetricsEndpoints: [{ port: "admin", path: "/metrics" }]
      }
    })
  })

  it.effect("of ports match the configuration", () =>
    Effect.gen(function*() {
      const { config: { listen, admin } } = yield* Configs.load("kubernetes")
      expect(another).toBeUndefined()
      expect([...ports]).toEqual([["http", listen.port], ["admin", admin?.port]])
      const targets = services.flatMap(({ spec }) => spec?.ports ?? [])
      for (const { name, port, targetPort } of targets) {
        expect([targetPort, ports.get(name ?? "")]).toEqual([name, port])
      }
      expect(policy.spec?.ingress?.flatMap((rule) => rule.ports?.map(({ port }) => port)))
        .toEqual([...ports.keys()])
    }))
})

describe("the configuration", () => {
  it.effect("is valid without warnings, and listens on all addresses", () =>
    Effect.gen(function*() {
      const { config, warnings } = yield* Configs.load("kubernetes")
      expect(warnings).toEqual([])
      expect([config.listen.host, config.admin?.host]).toEqual(["0.0.0.0", "0.0.0.0"])
      const hashes = [...config.clients, ...(config.admin === null ? [] : [config.admin])]
        .flatMap(({ tokens }) => tokens)
      // No token has this hash
      for (const { hash } of hashes) expect(hash).toMatch(/^sha256:0{60}/)
    }))

  it.effect("is mounted with its secrets at the configured paths", () =>
    Effect.gen(function*() {
      const { files } = yield* Configs.load("kubernetes")
      const mounts = new Map(container?.volumeMounts?.map((mount) => [mount.name, mount]))
      const volumes = new Map(pod?.volumes?.map((volume) => [volume.name, volume]))
      expect([...mounts.keys()]).toEqual([...volumes.keys()])
      expect(
        [...mounts.values()].every(({ readOnly, subPath }) => readOnly === true && subPath === undefined)
      ).toBe(
        true
      )
      expect(volumes.get("config")?.configMap?.name).toBe(configMap.metadata?.name)
      expect(volumes.get("secrets")?.secret).toEqual({
        secretName: secret.metadata?.name,
        defaultMode: 0o440
      })
      expect(pod?.securityContext?.fsGroup).toBe(pod?.securityContext?.runAsGroup)
      expect(container?.args).toEqual(["--config", Configs.file])
      const expected = [
        ...Object.keys(configMap.data ?? {}).map((name) => `${mounts.get("config")?.mountPath}/${name}`),
        ...Object.keys(secret.stringData ?? {}).map((name) => `${mounts.get("secrets")?.mountPath}/${name}`)
      ]
      expect(files.toSorted()).toEqual(expected.toSorted())
      expect(secret.metadata?.namespace).toBe(kustomization.namespace)
      for (const value of Object.values(secret.stringData ?? {})) expect(value).toContain("REPLACE-WITH-")
    }))

  it.effect("leaves time for graceful shutdown, and fails the readiness probe early enough", () =>
    Effect.gen(function*() {
      const { config: { shutdown } } = yield* Configs.load("kubernetes")
      const announce = Duration.toSeconds(shutdown.delay)
      expect(pod?.terminationGracePeriodSeconds)
        .toBeGreaterThanOrEqual(announce + Duration.toSeconds(shutdown.timeout) + 5)
      const { failureThreshold = 3, periodSeconds = 10, timeoutSeconds = 1 } = container?.readinessProbe ?? {}
      expect(announce).toBeGreaterThanOrEqual(periodSeconds * failureThreshold + timeoutSeconds)
    }))

  it.effect("fits into the memory limit, and the alert rules use that limit", () =>
    Effect.gen(function*() {
      const { config } = yield* Configs.load("kubernetes")
      const mebibytes = Number(/^(\d+)Mi$/.exec(String(container?.resources?.limits?.["memory"]))?.[1])
      expect(mebibytes).toBeGreaterThanOrEqual(Configs.worstCaseMemory(config))
      expect(Files.text("prometheus/rules.yaml")).toMatch(
        new RegExp(`record: quarry_proxy:memory_limit_bytes\\s+expr: vector\\(${mebibytes * 2 ** 20}\\)`)
      )
    }))
})

describe("pods", () => {
  it("meet the restricted Pod Security Standard", () => {
    expect(pod?.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" }
    })
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] }
    })
    expect([pod?.automountServiceAccountToken, account.automountServiceAccountToken]).toEqual([false, false])
    expect(pod?.enableServiceLinks).toBe(false)
  })

  it("have probes on existing routes", () => {
    const probe = (name: "startupProbe" | "livenessProbe" | "readinessProbe") => container?.[name]?.httpGet
    expect(probe("startupProbe")).toEqual({ path: "/livez", port: "admin" })
    expect(probe("livenessProbe")).toEqual({ path: "/livez", port: "admin" })
    expect(probe("readinessProbe")).toEqual({ path: "/readyz", port: "http" })
  })
})

it.effect("may only connect to the upstreams and services that the proxy uses", () =>
  Effect.gen(function*() {
    const { config: { upstream } } = yield* Configs.load("kubernetes")
    const rules = policy.spec?.egress?.map(({ ports }) => ports?.map(({ port }) => port))
    const redis = new URL(secret.stringData?.["redis-url"] ?? "")
    const service = new Set(
      Object.values(upstream.baseUrls).map((address) => Number(new URL(address ?? "").port || 443))
    )
    expect(rules).toEqual([[53, 53], [Number(redis.port)], [...service]])
    expect(redis.hostname).toBe(`redis.${kustomization.namespace}.svc`)
    expect(policy.spec?.policyTypes).toEqual(["Ingress", "Egress"])
    expect(upstream.keys.map(({ secret }) => Redacted.value(secret))).toEqual(["key-of-the-service"])
  }))
