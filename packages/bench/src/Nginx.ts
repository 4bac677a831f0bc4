/** nginx in a typical configuration: one worker that caches on one port and only forwards on another. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { freePort, makeTemporaryDirectory, startProgram } from "./Processes.ts"
import type { Server } from "./Servers.ts"

interface Ports {
  /** Caches responses for an hour. */
  readonly hits: number
  readonly misses: number
}

const temporaryPaths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]

/** Keeps connections open as long as the other servers do. The buffers are large enough for a page. */
const configFile = (folder: string, upstreamUrl: string, { hits, misses }: Ports): string => `
daemon off;
master_process off;
pid ${folder}/pid;
error_log stderr notice;
events { worker_connections 1024; }
http {
  ${temporaryPaths.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n  ")}
  access_log /dev/null combined;
  default_type application/json;
  sendfile on;
  keepalive_requests 1000000000;
  open_file_cache max=1000 inactive=1h;
  upstream stub {
    server ${new URL(upstreamUrl).host};
    keepalive 64;
    keepalive_requests 1000000000;
  }
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_buffers 32 8k;
  proxy_cache_path ${folder}/cache keys_zone=responses:10m;
  server {
    listen 127.0.0.1:${hits};
    location / {
      proxy_pass http://stub;
      proxy_cache responses;
      proxy_cache_valid 200 1h;
    }
  }
  server {
    listen 127.0.0.1:${misses};
    location / { proxy_pass http://stub; }
  }
}
`

/** Starts nginx if it is installed. Each array has a server then. */
export const startNginx = (
  upstreamUrl: string
): Effect.Effect<Record<keyof Ports, ReadonlyArray<Server>>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const file = ["/usr/sbin/nginx", "/usr/bin/nginx"].find(existsSync)
    if (file === undefined) return { hits: [], misses: [] }
    const folder = yield* makeTemporaryDirectory
    const ports = { hits: yield* freePort, misses: yield* freePort }
    const config = join(folder, "nginx.conf")
    writeFileSync(config, configFile(folder, upstreamUrl, ports))
    const program = { file, args: ["-p", folder, "-c", config, "-e", "stderr"] }
    const { pid } = yield* startProgram(program, /using the "epoll"/)
    return {
      hits: [{ name: "nginx, proxy_cache", pid, port: ports.hits }],
      misses: [{ name: "nginx, proxy_pass", pid, port: ports.misses }]
    }
  })
