package cli_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/cli"
)

// TestAStopEndsStreamsAndFinishesCommits stops a server while an event stream is open and half
// of a commit has arrived. The stream ends, the commit is answered and stored, and no more
// connections are accepted.
func TestAStopEndsStreamsAndFinishesCommits(t *testing.T) {
	db := filepath.Join(t.TempDir(), "pact.db")
	run := func(args ...string) int {
		return cli.Run(t.Context(), append(args, "--db", db), cli.Streams{In: strings.NewReader(""), Out: io.Discard,
			Err: io.Discard})
	}
	if run("new", "a") != 0 {
		t.Fatal("there is no context")
	}
	ctx, stop := context.WithCancel(t.Context())
	out, printed := io.Pipe()
	exit := make(chan int, 1)
	go func() {
		exit <- cli.Run(ctx, []string{"serve", "--no-token", "--addr", "127.0.0.1:0", "--db", db},
			cli.Streams{In: strings.NewReader(""), Out: printed, Err: io.Discard})
	}()
	line := make([]byte, 200)
	n, err := out.Read(line)
	must(t, err)
	at, err := url.Parse(strings.TrimSpace(string(line[:n])))
	must(t, err)
	dial := func(text string) net.Conn {
		conn, err := net.Dial("tcp", at.Host)
		must(t, err)
		t.Cleanup(func() { conn.Close() })
		must(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
		_, err = io.WriteString(conn, text)
		must(t, err)
		return conn
	}
	head := " HTTP/1.1\r\nHost: localhost\r\n"
	stream := dial("GET /v1/events?context=a" + head + "\r\n")
	opened, err := bufio.NewReader(stream).ReadString('\n')
	must(t, err)
	if !strings.Contains(opened, "200") {
		t.Fatal(opened)
	}
	commit := dial("POST /v1/contexts/a/commits" + head + "Content-Type: application/json\r\nExpect: 100-continue\r\n" +
		"Content-Length: 11\r\n\r\n")
	answers := bufio.NewReader(commit)
	// The operation reads the body now.
	if ready, err := answers.ReadString('\n'); err != nil || !strings.Contains(ready, "100") {
		t.Fatal(ready, err)
	}
	_, _ = answers.ReadString('\n')
	stop()
	if rest, err := io.ReadAll(stream); err != nil || strings.Contains(string(rest), "failed") {
		t.Errorf("the stream ended with %q, %v", rest, err)
	}
	_, err = io.WriteString(commit, `{"cycle":0}`)
	must(t, err)
	done, err := http.ReadResponse(answers, nil)
	must(t, err)
	if done.StatusCode != http.StatusOK {
		t.Errorf("the commit: %s", done.Status)
	}
	if code := <-exit; code != 0 {
		t.Errorf("exit code %d", code)
	}
	if conn, err := net.Dial("tcp", at.Host); err == nil {
		conn.Close()
		t.Error("the server still accepts connections")
	}
	if run("show", "a", "@c1") != 0 {
		t.Error("the commit is not stored")
	}
}
