import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.MessageDigest;
import java.util.HexFormat;

/** The protocol of client.py with the HttpClient of the JDK, which offers an upgrade to HTTP/2 with each request. */
class Client {
  public static void main(String[] arguments) throws Exception {
    var client = HttpClient.newHttpClient();
    var input = new BufferedReader(new InputStreamReader(System.in));
    for (var line = input.readLine(); line != null; line = input.readLine()) {
      var parts = line.split("\t", -1);
      var body = parts[3].isEmpty() ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(parts[3]);
      var request = HttpRequest.newBuilder(URI.create(parts[1])).method(parts[0], body);
      for (var field : parts[2].split("\\|")) {
        if (!field.isEmpty()) request.header(field.split(": ", 2)[0], field.split(": ", 2)[1]);
      }
      try {
        var response = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        var hash = MessageDigest.getInstance("SHA-256").digest(response.body());
        System.out.println(response.statusCode() + "\t" + HexFormat.of().formatHex(hash));
      } catch (java.io.IOException error) {
        System.out.println("error\t" + String.valueOf(error).replace('\n', ' '));
      }
    }
  }
}
