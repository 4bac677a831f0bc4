# The protocol of client.py with LWP, on persistent connections.
use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use HTTP::Request;
use LWP::UserAgent;

$| = 1;
my $agent = LWP::UserAgent->new(keep_alive => 4, timeout => 60);
while (my $line = <STDIN>) {
  chomp $line;
  my ($method, $url, $headers, $body) = split /\t/, $line, -1;
  my $request = HTTP::Request->new($method, $url, [map { split /: /, $_, 2 } split /\|/, $headers], $body);
  $request->header("Accept-Encoding" => "gzip");
  my $response = $agent->request($request);
  my $content = $response->decoded_content(charset => "none");
  my $internal = ($response->header("Client-Warning") // "") eq "Internal response" ? "no response" : undef;
  my $failure = $internal // $response->header("Client-Aborted") // $response->header("X-Died");
  if (!defined $content) { $failure //= "the body cannot be decoded" }
  print defined $failure
    ? "error\t" . ($failure . " " . $response->message) =~ tr/\n/ /r . "\n"
    : $response->code . "\t" . sha256_hex($content) . "\n";
}
