package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/server"
)

// trickle opens connections that send a request but for the end of its body, and returns them
// once the server waits for the bodies.
func (r *running) trickle(n int, path, token string) []net.Conn {
	r.t.Helper()
	list := make([]net.Conn, n)
	for i := range list {
		// The server answers 100 when it begins to read the body.
		list[i] = r.dial("POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + token +
			"Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n")
		if line, err := bufio.NewReader(list[i]).ReadString('\n'); err != nil || !strings.Contains(line, " 100 ") {
			r.t.Fatalf("%q, %v", line, err)
		}
		if _, err := io.WriteString(list[i], "{"); err != nil {
			r.t.Fatal(err)
		}
	}
	return list
}

func TestARequestHasNoPlaceWhileItsBodyIsAwaited(t *testing.T) {
	r := start(t, server.Options{})
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	token := "Authorization: Bearer " + r.Token() + "\r\n"
	for path, header := range map[string]string{"/v1/session": "", "/v1/contexts": token, "/v1/contexts/a/edits": token} {
		r.trickle(server.MaxRequests+1, path, header)
		r.must(nil, "GET", "/v1/contexts", "")
		r.must(nil, "GET", "/readyz", "", "Authorization", "-")
	}
}

// TestABodyWithoutATokenIsShortAndQuick sends 4 KiB and a byte to the operation that any client may
// use, and bodies that never end to that and to one that refuses them.
func TestABodyWithoutATokenIsShortAndQuick(t *testing.T) {
	r := start(t, server.Options{})
	body := func(n int) string { return `{"token":"` + strings.Repeat("x", n-len(`{"token":""}`)) + `"}` }
	r.call("POST", "/v1/session", body(4096), "Authorization", "-").refused(t, http.StatusUnauthorized, "E_UNAUTHORIZED")
	r.call("POST", "/v1/session", body(4097), "Authorization", "-").
		refused(t, http.StatusRequestEntityTooLarge, "E_LIMIT")
	r.LimitTo(server.MaxVisits, server.MaxReads, 300*time.Millisecond)
	for path, status := range map[string]string{"/v1/session": " 400 ", "/v1/contexts": " 401 ", "/nothing": " 404 "} {
		conn := r.dial("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
			"Content-Length: 100\r\n\r\n{")
		if text, err := io.ReadAll(conn); err != nil || !strings.Contains(string(text), status) {
			t.Errorf("%s: %.100q, %v", path, text, err)
		}
	}
}

// TestAClientThatSendsTooMuchReadsTheRefusal sends a body over the limit to its end before it reads.
func TestAClientThatSendsTooMuchReadsTheRefusal(t *testing.T) {
	r := start(t, server.Options{})
	for kind, want := range map[string]int{"application/json": 413, "text/plain": 415} {
		conn := r.dial("POST /v1/contexts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + r.Token() +
			"\r\nContent-Type: " + kind + "\r\nContent-Length: 33554432\r\n\r\n")
		if _, err := conn.Write(make([]byte, 32<<20)); err != nil {
			t.Errorf("%s: the body cannot be sent to its end: %v", kind, err)
		}
		if got, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || got.StatusCode != want {
			t.Errorf("%s: %v, %v", kind, got, err)
		}
	}
}

// TestAServerThatIsFullIsNotReady lets as many clients as are served at once take nothing of a
// long answer.
func TestAServerThatIsFullIsNotReady(t *testing.T) {
	r := start(t, server.Options{})
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	long := `{"op":"add","into":"^ah","node":{"role":"user","content":"` + strings.Repeat("x", 7<<20) + `"}}`
	for cycle := range 3 {
		r.must(nil, "POST", "/v1/contexts/a/commits", fmt.Sprintf(`{"cycle":%d,"edits":[%s]}`, cycle, long))
	}
	var slow []net.Conn
	for range server.MaxRequests {
		slow = append(slow, r.dial("GET /v1/contexts/a/export HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+
			r.Token()+"\r\n\r\n"))
	}
	r.untilReady(http.StatusServiceUnavailable)
	r.call("GET", "/readyz", "", "Authorization", "-").refused(t, http.StatusServiceUnavailable, "E_TOO_MANY")
	for _, conn := range slow {
		conn.Close()
	}
	r.untilReady(http.StatusNoContent)
}

// untilReady waits until the server says with a status whether it is ready.
func (r *running) untilReady(status int) {
	r.t.Helper()
	for deadline := time.Now().Add(time.Minute); r.call("GET", "/readyz", "", "Authorization", "-").StatusCode != status; {
		if time.Now().After(deadline) {
			r.t.Fatalf("/readyz is not %d", status)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
