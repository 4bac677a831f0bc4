#!/usr/bin/env bash
# The protocol of client.py with curl or wget, one process per request.
set -u
content=$(mktemp)
trap 'rm -f "$content"' EXIT

send_curl() {
  local options=(--silent --show-error --compressed --output "$content" --write-out '%{http_code}' --max-time 60)
  if [ "$method" = HEAD ]; then options+=(--head); else options+=(--request "$method"); fi
  if [ -n "$body" ]; then options+=(--data-raw "$body"); fi
  curl "${options[@]}" "${headers[@]}" "$url"
}

send_wget() {
  local options=(--quiet --server-response --content-on-error --output-document="$content" --tries=2 --timeout=60)
  if [ -n "$body" ]; then options+=("--body-data=$body"); fi
  wget "${options[@]}" --method="$method" "${headers[@]}" "$url" 2>&1 |
    awk '/^  HTTP\//{ status = $2 } END { printf "%s", status }'
  # 6 and 8: the status is an error
  case ${PIPESTATUS[0]} in 0 | 6 | 8) ;; *) return 1 ;; esac
}

while IFS= read -r line; do
  # Tabs are white space to `read`, which drops empty fields between them
  IFS=$'\x1e' read -r method url fields body <<<"${line//$'\t'/$'\x1e'}"
  headers=()
  IFS='|' read -ra names <<<"$fields"
  for field in "${names[@]}"; do headers+=(--header "$field"); done
  : >"$content"
  if status=$("send_$1" 2>&1); then
    if [ "$method" = HEAD ]; then : >"$content"; fi
    printf '%s\t%s\n' "$status" "$(sha256sum "$content" | cut -d' ' -f1)"
  else
    printf 'error\t%s\n' "${status//$'\n'/ }"
  fi
done
