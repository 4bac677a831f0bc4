<?php
// The protocol of client.py with the extension curl, on one handle.
$handle = curl_init();
while (($line = fgets(STDIN)) !== false) {
  [$method, $url, $headers, $body] = explode("\t", rtrim($line, "\n"));
  curl_reset($handle);
  curl_setopt_array($handle, [
    CURLOPT_URL => $url,
    CURLOPT_CUSTOMREQUEST => $method,
    CURLOPT_NOBODY => $method === "HEAD",
    CURLOPT_HTTPHEADER => array_filter(explode("|", $headers)),
    CURLOPT_ENCODING => "",
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_TIMEOUT => 60,
  ]);
  if ($body !== "") {
    curl_setopt($handle, CURLOPT_POSTFIELDS, $body);
  }
  $content = curl_exec($handle);
  echo $content === false
    ? "error\t" . curl_error($handle) . "\n"
    : curl_getinfo($handle, CURLINFO_RESPONSE_CODE) . "\t" . hash("sha256", $content) . "\n";
}
