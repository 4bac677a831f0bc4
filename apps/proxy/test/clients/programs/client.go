// The protocol of client.py with net/http.
package main

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

func send(method, url, headers, body string) (string, error) {
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	for _, field := range strings.Split(headers, "|") {
		if name, value, found := strings.Cut(field, ": "); found {
			request.Header.Set(name, value)
		}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d\t%x", response.StatusCode, sha256.Sum256(content)), nil
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		parts := strings.Split(lines.Text(), "\t")
		result, err := send(parts[0], parts[1], parts[2], parts[3])
		if err != nil {
			result = "error\t" + strings.ReplaceAll(err.Error(), "\n", " ")
		}
		fmt.Println(result)
	}
}
