#!/bin/bash
# The programs that scripts of the documentation call, under the name by which it is called. Own programs run with the sandbox.
# Of others, which need a network, an account or a machine of their own, it checks what the repository can tell.
#
# REPOSITORY: the repository. WORK: a folder of the script. PROXY: the origin of a proxy that serves requests.
name=${0##*/}
quarry=$REPOSITORY/apps/cli/dist/quarry.js
proxy=$REPOSITORY/apps/proxy/dist/quarry-proxy.js

fail() {
  echo "$name: $*" >&2
  exit 1
}

# Starts a program, and waits until it ends, or prints its origin: a server runs until the script ends.
start() {
  exec 3< <(exec "$@" 2> "$WORK/stderr")
  while read -r line <&3; do
    if [[ $line =~ http://[0-9a-z.]+:[0-9]+ ]]; then
      echo "${BASH_REMATCH[0]}" > "$WORK/origin"
      echo "$line"
      cat <&3 > /dev/null 2>&1 &
      return
    fi
  done
  wait $! || fail "exit status $?: $(cat "$WORK/stderr")"
}

# Each word names an existing file.
exists() {
  for file in "$@"; do [ -e "$file" ] || fail "$file does not exist"; done
  echo "$name: $*"
}

# The package is one of the workspace or of its catalog, or an archive.
package() {
  [[ $1 == */archives/*.tgz ]] && [ -d "$REPOSITORY/packages/$(basename "$1" .tgz)" -o -d "$REPOSITORY/apps/$(basename "$1" .tgz)" ] && return
  local id=${1#@}
  id=${1:0:$((${#1} - ${#id}))}${id%%@*}
  case $id in
  @blockquarry/*) [ "$id" = @blockquarry/cli ] || [ "$id" = @blockquarry/proxy ] || [ -d "$REPOSITORY/packages/${id#*/}" ] ;;
  *) grep -qE "^ +(\"$id\"|$id):" "$REPOSITORY/pnpm-workspace.yaml" ;;
  esac || fail "$id is not known"
}

# A script of the root manifest, or a command of pnpm.
pnpm() {
  while [[ $1 == -* ]]; do
    case $1 in
    --dir) exists "$REPOSITORY/$2" && shift ;;
    --filter) shift ;;
    esac
    shift
  done
  local script=$1
  shift
  case $script in
  start) exec quarry-proxy --sandbox ;;
  proxy | quarry) exec "${script/#proxy/quarry-proxy}" "$@" ;;
  backend) cd "$REPOSITORY/examples/backend" && exec node src/main.ts ;;
  bench)
    for word in "$@"; do
      [[ $word == ../* || $word == --help ]] && continue
      case $word in
      --*) grep -qF "(\"${word#--}\"" "$REPOSITORY/packages/bench/src/main.ts" ;;
      *) grep -rqF -e "name: \"$word\"" -e "Command.make(\"$word\"" "$REPOSITORY/packages/bench/src/"{main.ts,benchmarks} ;;
      esac ||
        fail "bench has no $word"
    done
    ;;
  install | pack) ;;
  *) grep -q "\"$script\":" "$REPOSITORY/package.json" || fail "no script $script" ;;
  esac
  echo "pnpm $script $*"
}

case $name in
quarry)
  case "$1 $2" in
  "sandbox serve")
    [[ $* == *--port* ]] || set -- "$@" --port 0
    start "$NODE" "$quarry" "$@"
    ;;
  watch\ *)
    # Unless it ends by itself, a user interrupts it
    [[ $* == *--timeout* ]] && exec "$NODE" "$quarry" "$@"
    timeout --preserve-status -s INT 3 "$NODE" "$quarry" "$@" || [ $? = 130 ]
    ;;
  *) exec "$NODE" "$quarry" "$@" ;;
  esac
  ;;

quarry-proxy)
  case $1 in
  config | token) exec "$NODE" "$proxy" "$@" ;;
  *) start "$NODE" "$proxy" "$@" ;;
  esac
  ;;

npx)
  case $1 in
  -c) exec bash -c "$2" ;;
  -y) shift ;;
  esac
  case $1 in
  -p | --package | --package=*)
    [[ $1 == *=* ]] || shift
    package "${1#--package=}" && shift
    # Node.js cannot run the stand-in of a program
    if [ "$1" = -c ]; then exec bash -n -c "$2"; fi
    exec "$@"
    ;;
  pnpm@10) shift && pnpm "$@" ;;
  @blockquarry/cli) shift && exec quarry "$@" ;;
  @blockquarry/proxy) shift && exec quarry-proxy "$@" ;;
  vitest) exists test/*.test.ts ;;
  *) fail "unknown: $*" ;;
  esac
  ;;

npm)
  [ "$1" = install ] || [ "$*" = "audit signatures" ] || [ "$*" = "init -y" ] || fail "unknown: $*"
  for word in "${@:2}"; do
    [[ $word == -* || $word == signatures ]] || package "$word"
  done
  echo "npm $*"
  ;;

# The program of an example runs as a bundle, because Node.js 20 does not run TypeScript. DuckDB has native code, which no
# bundle contains: the test of that example runs its modules
node)
  case $1 in
  src/main.ts)
    grep -rq @duckdb src && exists "$1" && exit
    "$NODE" "$REPOSITORY/scripts/bundle.mjs" "$PWD/$1" "$WORK/main.js" > /dev/null
    PORT=0 start "$NODE" "$WORK/main.js"
    ;;
  scripts/*) exists "$REPOSITORY/$1" ;;
  *) exec "$NODE" "$@" ;;
  esac
  ;;

docker)
  case "$1" in
  build) [[ $* =~ -f\ ([^ ]+) ]] && exists "${BASH_REMATCH[1]}" ;;
  compose)
    exists compose.yaml
    for word in "${@:3}"; do
      [[ $word == -* ]] || grep -q "^  $word:" compose.yaml || fail "compose.yaml has no service $word"
    done
    ;;
  run)
    # The program of the image, with the mounted files
    mounts=()
    while [[ $1 != quarry-proxy:* ]]; do
      [ "$1" = -v ] && mounts+=("$2")
      shift
    done
    shift
    args=("$@")
    for mount in "${mounts[@]}"; do
      IFS=: read -r source target _ <<< "$mount"
      [ -f "$source" ] || fail "$source does not exist"
      args=("${args[@]//"$target"/"$source"}")
    done
    exec quarry-proxy "${args[@]}"
    ;;
  *) fail "unknown: $*" ;;
  esac
  ;;

kubectl)
  while [ $# -gt 0 ]; do
    case $1 in
    -f) [ "$2" = - ] && "$NODE" -e '
      const { parse } = require("module").createRequire(process.env.REPOSITORY + "/")("yaml")
      const { kind, spec } = parse(require("fs").readFileSync(0, "utf8"))
      console.log(kind, spec.groups.length)' || exists "$2" ;;
    -k) exists "$2/kustomization.yaml" ;;
    -*) ;;
    esac
    shift
  done
  echo kubectl
  ;;

duckdb)
  exec "$NODE" --input-type=module -e '
    import { createRequire } from "node:module"
    const require = createRequire(process.env.REPOSITORY + "/examples/export/")
    const { DuckDBInstance } = await import(require.resolve("@duckdb/node-api"))
    const connection = await (await DuckDBInstance.create()).connect()
    const rows = await connection.runAndReadAll(process.argv[1])
    console.log(String(rows.currentRowCount), rows.columnNames().join(","))
    if (rows.currentRowCount === 0) process.exitCode = 1' "$2"
  ;;

jq)
  exec "$NODE" --input-type=module -e '
    import { createRequire } from "node:module"
    import { pathToFileURL } from "node:url"
    import { text } from "node:stream/consumers"
    const require = createRequire(process.env.REPOSITORY + "/apps/cli/")
    const { loadJq } = await import(pathToFileURL(require.resolve("jq-wasm/inline")))
    const { raw } = await loadJq()
    const { stdout, stderr, exitCode } = await raw(await text(process.stdin), process.argv[2], ["-r"])
    process.stdout.write(stdout)
    process.stderr.write(stderr)
    process.exitCode = exitCode' -- "$@"
  ;;

# The options of curl that scripts use
curl)
  exec "$NODE" --input-type=module -e '
    import { existsSync, readFileSync, writeFileSync } from "node:fs"
    import { parseArgs } from "node:util"
    const { values, positionals: [text] } = parseArgs({ args: process.argv.slice(1), allowPositionals: true, options: {
      request: { type: "string", short: "X" },
      header: { type: "string", short: "H" },
      data: { type: "string", short: "d" },
      silent: { type: "boolean", short: "s" },
      include: { type: "boolean", short: "i" },
      fail: { type: "boolean", short: "f" },
      "show-error": { type: "boolean", short: "S" },
      compressed: { type: "boolean" },
      output: { type: "string", short: "o" }
    } })
    const url = new URL(text)
    const { PROXY, WORK } = process.env
    const origin = existsSync(WORK + "/origin") ? readFileSync(WORK + "/origin", "utf8").trim() : PROXY
    if (url.port === "8651") {
      // The admin listener, which needs a token: its page lists the path
      console.log(url.pathname)
      const page = readFileSync(process.env.REPOSITORY + "/docs/proxy/operation.md", "utf8")
      if (!page.includes(`${url.pathname}\``)) process.exitCode = 1
    } else if (url.hostname === "127.0.0.1") {
      const [name, value] = (values.header ?? "").split(": ")
      const method = values.request ?? (values.data === undefined ? "GET" : "POST")
      const response = await fetch(origin + url.pathname + url.search, {
        method,
        headers: name ? { [name]: value } : {},
        ...(values.data === undefined ? {} : { body: values.data })
      })
      const body = await response.text()
      if (values.include) for (const [name, value] of response.headers) console.log(`${name}: ${value}`)
      if (values.output === undefined) process.stdout.write(body)
      else writeFileSync(values.output, body)
      if (!response.ok) process.exitCode = 22
      // One document, or one for each line of a list
      for (const line of body.trim().split("\n")) JSON.parse(line)
    } else if (values.data !== undefined) {
      JSON.parse(values.data)
    } else {
      process.exitCode = 1
    }' -- "$@"
  ;;

# Nothing to check: they need an account, or change the machine
gh | git | openssl)
  echo "$name $*"
  ;;

sudo)
  exists "${@:3}"
  ;;

*) fail "unknown program" ;;
esac
