#!/usr/bin/env bash
# Apache 2.4.71 as a reverse proxy with mod_deflate or mod_brotli adds "-gzip" or "-br" to the ETag of a response that it compresses, and
# hands If-None-Match with that on to the upstream, which does not know it: each revalidation is a full response, computed and compressed
# anew, and no client sees a 304. Clients that take no compression get it. lighttpd 1.4.69 changes the ETag too and answers 304 itself, but
# has the full response made by the upstream; nginx 1.22.1, HAProxy 2.6.12, Caddy 2.6.2 and h2o 2.2.5 let the 304 of the upstream through.
# Guess: a proxy knows the ETag that it made. DeflateAlterETag NoChange. Runs the packages in a temporary folder; needs Debian 12, apt and
# Node.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# The rest are what these packages need
apt-get download -qq -o APT::Sandbox::User=root apache2-bin=2.4.71-1~deb12u1 lighttpd=1.4.69-1 lighttpd-mod-deflate=1.4.69-1 caddy=2.6.2-5 \
  h2o=2.2.5+dfsg2-7 nginx=1.22.1-9+deb12u11 haproxy=2.6.12-1+deb12u4 libapr1 libaprutil1 libbrotli1 liblua5.3-0 liblz4-1 libnettle8 \
  libopentracing-c-wrapper0 libopentracing1 libpcre2-8-0 libssl3 libsystemd0 libxxhash0 libyaml-0-2 libzstd1 libcap2 libgcrypt20 libgpg-error0
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/$(uname -m)-linux-gnu:$folder/root/lib/$(uname -m)-linux-gnu
export PATH=$folder/root/usr/sbin:$folder/root/usr/bin:$PATH

cat >program.mjs <<'PROGRAM'
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createServer, get } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
const folder = process.cwd()
const listen = async (server) => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return server.address().port
}
const list = JSON.stringify(Array.from({ length: 200 }, (_, block) => ({ block, value: "1000000000000000000" })))
let upstream
const upstreamPort = await listen(createServer(({ headers }, response) => {
  // Weak comparison, as RFC 9110 has it for If-None-Match
  const known = (headers["if-none-match"] ?? "").split(", ").some((tag) => tag.replace(/^W\//, "") === '"v1"')
  upstream = known ? "304" : "the list"
  response.writeHead(known ? 304 : 200, { etag: '"v1"', vary: "accept-encoding", "content-type": "application/json" }).end(known ? undefined : list)
}))
const freePort = async () => {
  const server = createServer()
  const port = await listen(server)
  server.close()
  return port
}
const apache = (directives) => (port) => ["apache2", ["-DFOREGROUND", "-f", "FILE"], `ServerName localhost
DefaultRuntimeDir ${folder}
PidFile ${folder}/pid-${port}
ErrorLog ${folder}/log
Listen 127.0.0.1:${port}
${["mpm_event", "authz_core", "proxy", "proxy_http", "filter", "deflate", "brotli"].map((name) => `LoadModule ${name}_module ${folder}/root/usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
ProxyPass / http://127.0.0.1:${upstreamPort}/
${directives}`]
const proxies = {
  "Apache, deflate": apache("AddOutputFilterByType DEFLATE application/json"),
  "Apache, brotli": apache("AddOutputFilterByType BROTLI_COMPRESS application/json"),
  "Apache, deflate, NoChange": apache("AddOutputFilterByType DEFLATE application/json\nDeflateAlterETag NoChange"),
  lighttpd: (port) => ["lighttpd", ["-D", "-m", "root/usr/lib/lighttpd", "-f", "FILE"], `server.document-root = "${folder}"
server.bind = "127.0.0.1"
server.port = ${port}
server.modules = ("mod_deflate", "mod_proxy")
deflate.mimetypes = ("application/json")
deflate.allowed-encodings = ("gzip")
proxy.server = ("" => (("host" => "127.0.0.1", "port" => ${upstreamPort})))`],
  nginx: (port) => ["nginx", ["-e", "log", "-p", folder, "-c", "FILE"], `daemon off; pid ${folder}/pid-${port}; error_log ${folder}/log; events {}
http { access_log off; gzip on; gzip_types application/json; ${["proxy", "client_body", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name}-${port};`).join(" ")}
server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${upstreamPort}; } } }`],
  HAProxy: (port) => ["haproxy", ["-f", "FILE"], `defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
listen proxy
  bind 127.0.0.1:${port}
  compression algo gzip
  compression type application/json
  server upstream 127.0.0.1:${upstreamPort}`],
  Caddy: (port) => ["caddy", ["run", "--config", "FILE", "--adapter", "caddyfile"], `{
  admin off
}
http://127.0.0.1:${port} {
  encode gzip
  reverse_proxy 127.0.0.1:${upstreamPort}
}`],
  h2o: (port) => ["h2o", ["-c", "FILE"], `user: ${process.env.USER ?? "root"}
listen: { host: 127.0.0.1, port: ${port} }
hosts:
  default:
    paths:
      /:
        proxy.reverse.url: http://127.0.0.1:${upstreamPort}/
        compress: [gzip]`]
}
const read = (port, headers) => new Promise((resolve, reject) => {
  get({ host: "127.0.0.1", port, path: "/", agent: false, headers }, (response) => {
    response.resume().on("end", () => resolve({ status: response.statusCode, etag: response.headers.etag, encoding: response.headers["content-encoding"] ?? "plain" }))
  }).on("error", reject)
})
for (const [name, configure] of Object.entries(proxies)) {
  const port = await freePort()
  const [command, parameters, text] = configure(port)
  const file = `${folder}/config-${port}`
  writeFileSync(file, `${text}\n`)
  const child = spawn(command, parameters.map((word) => word.replace("FILE", file)), { env: { ...process.env, HOME: folder }, stdio: "ignore" })
  for (let tries = 0; !(await read(port, {}).catch(() => {})); tries++) {
    if (tries === 100) throw new Error(`${name} does not start`)
    await sleep(100)
  }
  for (const encodings of name === "Apache, deflate" ? ["gzip, br", "identity"] : ["gzip, br"]) {
    const headers = { "accept-encoding": encodings }
    const { status, etag, encoding } = await read(port, headers)
    const again = await read(port, { ...headers, "if-none-match": etag })
    console.log(`${name}: ${status} ${encoding} ${etag}, sent back: ${again.status}, the upstream sends ${upstream}`)
  }
  child.kill()
  await once(child, "exit")
}
process.exit()
PROGRAM

node program.mjs | tee output
diff output - <<'EXPECTED'
Apache, deflate: 200 gzip "v1-gzip", sent back: 200, the upstream sends the list
Apache, deflate: 200 plain "v1", sent back: 304, the upstream sends 304
Apache, brotli: 200 br "v1-br", sent back: 200, the upstream sends the list
Apache, deflate, NoChange: 200 gzip "v1", sent back: 304, the upstream sends 304
lighttpd: 200 gzip "v1-gzip", sent back: 304, the upstream sends the list
nginx: 200 gzip W/"v1", sent back: 304, the upstream sends 304
HAProxy: 200 gzip W/"v1", sent back: 304, the upstream sends 304
Caddy: 200 gzip "v1", sent back: 304, the upstream sends 304
h2o: 200 gzip "v1", sent back: 304, the upstream sends 304
EXPECTED
