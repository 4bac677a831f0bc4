#!/usr/bin/env bash
# Reading a JSON document in Perl and writing it again: JSON::XS 4.040 and Cpanel::JSON::XS 4.35 turn each integer from 2^64 on (and below
# -2^63) into a string in quotes; JSON::PP 4.07, which comes with Perl 5.36, writes 2^64 as 1.84467440737096e+19, and longer ones as a
# string. Integers below are numbers with all digits. So a field has two or three types by its value, a strict reader or a schema fails on
# large amounts only, and modules that stand in for each other differ. Fractions keep 15 digits: 0.30000000000000004 is 0.3. Guess: all
# digits, or a rounded number. allow_bignum of Cpanel::JSON::XS keeps all; that of JSON::PP still rounds 2^64. Needs Debian 12, apt and its
# Perl; runs the packages in a temporary folder.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root libjson-xs-perl=4.040-1~deb12u1 libcpanel-json-xs-perl=4.35-1+deb12u1 libcommon-sense-perl \
  libtypes-serialiser-perl
for package in *.deb; do dpkg -x "$package" root; done

cat >program.pl <<'PROGRAM'
use strict;
use warnings;
use Math::BigInt;
my @values = ("9007199254740993", "18446744073709551615", "18446744073709551616", "-9223372036854775809", "1" . "0" x 24 . "1",
  "115792089237316195423570985008687907853269984665640564039457584007913129639935", "0.30000000000000004", "100000000000000000000.0");
for my $module ("JSON::PP", "JSON::XS", "Cpanel::JSON::XS") {
  eval "require $module; 1" or die $@;
  print "$module ", $module->VERSION, "\n";
  for my $value (@values) {
    my $json = $module->new;
    my $text = $json->encode($json->decode("[$value]"));
    print "  $value: ", substr($text, 1, -1);
    # JSON::XS has no such option
    if ($json->can("allow_bignum")) {
      my $exact = $module->new->allow_bignum->allow_blessed->convert_blessed;
      print ", with allow_bignum ", substr($exact->encode($exact->decode("[$value]")), 1, -1);
    }
    print "\n";
  }
}
PROGRAM

architecture=$(uname -m)-linux-gnu
PERL5LIB=root/usr/lib/$architecture/perl5/5.36:root/usr/share/perl5 /usr/bin/perl program.pl | tee output
diff output - <<'EXPECTED'
JSON::PP 4.07
  9007199254740993: 9007199254740993, with allow_bignum 9007199254740993
  18446744073709551615: 18446744073709551615, with allow_bignum 18446744073709551615
  18446744073709551616: 1.84467440737096e+19, with allow_bignum 1.84467440737096e+19
  -9223372036854775809: -9.22337203685478e+18, with allow_bignum -9.22337203685478e+18
  10000000000000000000000001: "10000000000000000000000001", with allow_bignum 10000000000000000000000001
  115792089237316195423570985008687907853269984665640564039457584007913129639935: "115792089237316195423570985008687907853269984665640564039457584007913129639935", with allow_bignum 115792089237316195423570985008687907853269984665640564039457584007913129639935
  0.30000000000000004: 0.3, with allow_bignum 0.30000000000000004
  100000000000000000000.0: 1e+20, with allow_bignum 100000000000000000000
JSON::XS 4.04
  9007199254740993: 9007199254740993
  18446744073709551615: 18446744073709551615
  18446744073709551616: "18446744073709551616"
  -9223372036854775809: "-9223372036854775809"
  10000000000000000000000001: "10000000000000000000000001"
  115792089237316195423570985008687907853269984665640564039457584007913129639935: "115792089237316195423570985008687907853269984665640564039457584007913129639935"
  0.30000000000000004: 0.3
  100000000000000000000.0: 1e+20
Cpanel::JSON::XS 4.35
  9007199254740993: 9007199254740993, with allow_bignum 9007199254740993
  18446744073709551615: 18446744073709551615, with allow_bignum 18446744073709551615
  18446744073709551616: "18446744073709551616", with allow_bignum 18446744073709551616
  -9223372036854775809: "-9223372036854775809", with allow_bignum -9223372036854775809
  10000000000000000000000001: "10000000000000000000000001", with allow_bignum 10000000000000000000000001
  115792089237316195423570985008687907853269984665640564039457584007913129639935: "115792089237316195423570985008687907853269984665640564039457584007913129639935", with allow_bignum 115792089237316195423570985008687907853269984665640564039457584007913129639935
  0.30000000000000004: 0.3, with allow_bignum 0.30000000000000004
  100000000000000000000.0: 1e+20, with allow_bignum 100000000000000000000
EXPECTED
