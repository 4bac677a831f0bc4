# The protocol of client.py with Net::HTTP, on one persistent connection.
require "digest"
require "net/http"

$stdout.sync = true
connection = nil
$stdin.each_line(chomp: true) do |line|
  method, url, headers, body = line.split("\t", -1)
  uri = URI(url)
  connection ||= Net::HTTP.start(uri.host, uri.port)
  request = Net::HTTPGenericRequest.new(method, !body.empty?, method != "HEAD", uri)
  headers.split("|").each do |field|
    name, value = field.split(": ", 2)
    request[name] = value
  end
  begin
    response = connection.request(request, body.empty? ? nil : body)
    puts "#{response.code}\t#{Digest::SHA256.hexdigest(response.body.to_s)}"
  rescue StandardError => error
    puts "error\t#{error.inspect.tr("\n", " ")}"
  end
end
