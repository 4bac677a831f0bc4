#!/usr/bin/env bash
# A chunked response of status 200 ends without its last chunk: the connection closes in an orderly way after one record. That is an
# incomplete message (RFC 9112, section 8). What clients with their defaults make of it, Debian 12:
#
# - PHP 8.2.36 (php8.2-cli 8.2.36-1~deb12u1): file_get_contents returns the part, without a warning. A complete body looks the same.
# - Perl LWP 6.68 (libwww-perl 6.68-1): is_success is true, status 200; only the header Client-Aborted, which LWP adds, tells.
# - Python urllib3 1.26.12 (python3-urllib3 1.26.12-1+deb12u4), which raises in the end: 4 requests, though no retries were asked for.
# - Ruby 3.1.2 (ruby3.1 3.1.7+really3.1.2-0+deb12u1), Net::HTTP, which raises in the end: 2 requests.
#
# A server that counts or charges requests sees 4 and 2 of them. Runs the packages in a temporary folder; needs Debian 12, Node, network.
set -euo pipefail

folder=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"

# The rest are what these packages need
apt-get download -qq -o APT::Sandbox::User=root php8.2-cli=8.2.36-1~deb12u1 libxml2 libicu72 libsodium23 libargon2-1 \
  libwww-perl=6.68-1 libnet-http-perl=6.22-1 libhttp-message-perl=6.44-1 liburi-perl libhttp-date-perl libtry-tiny-perl \
  libencode-locale-perl libhtml-parser-perl libhtml-tagset-perl liblwp-mediatypes-perl libio-html-perl libclone-perl \
  libtimedate-perl libhttp-negotiate-perl libhttp-cookies-perl libfile-listing-perl libwww-robotrules-perl libperl5.36 perl-modules-5.36 \
  python3-urllib3=1.26.12-1+deb12u4 python3-six python3.11-minimal libpython3.11-minimal libpython3.11-stdlib \
  ruby3.1=3.1.7+really3.1.2-0+deb12u1 libruby3.1=3.1.7+really3.1.2-0+deb12u1
for package in *.deb; do dpkg -x "$package" root; done
arch=$(uname -m)-linux-gnu
lib=$folder/root/usr/lib/$arch
export LD_LIBRARY_PATH=$lib

cat >server.mjs <<'SERVER'
import { createServer } from "node:net"
import { appendFileSync, writeFileSync } from "node:fs"
const server = createServer((socket) => {
  socket.on("error", () => {})
  socket.once("data", (data) => {
    appendFileSync("requests", String(data).split(" ")[1] + "\n")
    socket.end('HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{"a":1}\n\r\n')
  })
}).listen(0, "127.0.0.1", () => writeFileSync("port", String(server.address().port)))
SERVER
touch requests
node server.mjs &
server=$!
until [ -s port ]; do sleep 0.1; done
url=http://127.0.0.1:$(cat port)

{
  root/usr/bin/php8.2 -n -r "echo 'php: ', json_encode(file_get_contents('$url/php')), ' ', json_encode(error_get_last()), PHP_EOL;"
  share=$folder/root/usr/share
  PERL5LIB=$share/perl5:$lib/perl5/5.36:$lib/perl/5.36:$share/perl/5.36 \
    perl -MLWP::UserAgent -e '
    my $response = LWP::UserAgent->new->get("'"$url"'/lwp");
    printf "lwp: %d %s %s\n", $response->code, $response->is_success ? "success" : "failure", $response->header("Client-Aborted");'
  PYTHONPATH=root/usr/lib/python3.11:root/usr/lib/python3.11/lib-dynload:root/usr/lib/python3/dist-packages root/usr/bin/python3.11 -c "
import urllib3
try: print('urllib3:', urllib3.PoolManager().request('GET', '$url/urllib3').status)
except Exception as error: print('urllib3:', type(error).__name__)"
  RUBYLIB=root/usr/lib/ruby/3.1.0:root/usr/lib/$arch/ruby/3.1.0 root/usr/bin/ruby3.1 --disable-gems -rnet/http -e "
    begin; puts 'ruby: ' + Net::HTTP.get_response(URI('$url/ruby')).code; rescue => error; puts 'ruby: ' + error.class.name; end"
  sort requests | uniq -c | sed 's/^ *//'
} | tee output

diff output - <<'EXPECTED'
php: "{\"a\":1}\n" null
lwp: 200 success die
urllib3: MaxRetryError
ruby: EOFError
1 /lwp
1 /php
2 /ruby
4 /urllib3
EXPECTED
