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

func TestRequestsWithoutTheTokenAreRefused(t *testing.T) {
	r := start(t, server.Options{})
	for name, header := range map[string][]string{
		"no token":              {"Authorization", "-"},
		"a wrong token":         {"Authorization", "Bearer " + strings.Repeat("A", 26)},
		"an empty token":        {"Authorization", "Bearer "},
		"another scheme":        {"Authorization", "Basic " + r.Token()},
		"the token as a cookie": {"Authorization", "-", "Cookie", "pact=" + r.Token()},
	} {
		got := r.call("GET", "/v1/contexts", "", header...)
		got.refused(t, http.StatusUnauthorized, "E_UNAUTHORIZED")
		if got.Header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s: the answer does not name the scheme", name)
		}
	}
	r.call("GET", "/v1/contexts?token="+r.Token(), "", "Authorization", "-").
		refused(t, http.StatusUnauthorized, "E_UNAUTHORIZED")
	for _, scheme := range []string{"Bearer ", "bearer ", "BEARER  "} {
		r.must(nil, "GET", "/v1/contexts", "", "Authorization", scheme+r.Token())
	}
	for _, path := range []string{"/healthz", "/readyz", "/openapi.json", "/"} {
		r.must(nil, "GET", path, "", "Authorization", "-")
	}
	if strings.Contains(r.log.String(), r.Token()) {
		t.Error("the log has the token")
	}
}

func TestABrowserExchangesTheTokenForACookie(t *testing.T) {
	r := start(t, server.Options{})
	r.call("POST", "/v1/session", `{"token":"wrong"}`, "Authorization", "-").
		refused(t, http.StatusUnauthorized, "E_UNAUTHORIZED")
	got := r.must(nil, "POST", "/v1/session", `{"token":"`+r.Token()+`"}`, "Authorization", "-", "Origin", r.url)
	cookies := got.Cookies()
	if len(cookies) != 1 {
		t.Fatalf("%d cookies", len(cookies))
	}
	c := cookies[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || strings.Contains(c.String(), r.Token()) {
		t.Errorf("the cookie %s", c)
	}
	r.must(nil, "GET", "/v1/contexts", "", "Authorization", "-", "Cookie", c.Name+"="+c.Value)
	r.call("GET", "/v1/contexts", "", "Authorization", "-", "Cookie", c.Name+"="+c.Value+"0").
		refused(t, http.StatusUnauthorized, "E_UNAUTHORIZED")
	if gone := r.must(nil, "DELETE", "/v1/session", "").Cookies(); len(gone) != 1 || gone[0].MaxAge >= 0 || gone[0].Value != "" {
		t.Errorf("%+v", gone)
	}
}

func TestOtherHostsAndPagesAreRefused(t *testing.T) {
	for _, o := range []server.Options{{}, {NoToken: true}} {
		r := start(t, o)
		port := r.url[strings.LastIndex(r.url, ":"):]
		for _, host := range []string{"evil.example", "evil.example" + port, "127.0.0.1.evil.example", "10.0.0.1"} {
			r.call("GET", "/v1/contexts", "", "Host", host).refused(t, http.StatusMisdirectedRequest, "E_HOST")
			r.call("GET", "/healthz", "", "Host", host).refused(t, http.StatusMisdirectedRequest, "E_HOST")
		}
		for _, header := range [][]string{
			{"Origin", "http://evil.example"}, {"Origin", "null"}, {"Origin", ""}, {"Origin", "file://" + r.url[7:]},
			{"Origin", "http://localhost:1"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
			{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"},
		} {
			r.call("GET", "/v1/contexts", "", header...).refused(t, http.StatusForbidden, "E_ORIGIN")
			r.call("POST", "/v1/contexts", `{"name":"a"}`, header...).refused(t, http.StatusForbidden, "E_ORIGIN")
			r.call("POST", "/v1/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, header...).refused(t,
				http.StatusForbidden, "E_ORIGIN")
		}
		r.must(nil, "GET", "/v1/contexts", "", "Origin", r.url, "Sec-Fetch-Site", "same-origin")
		r.must(nil, "GET", "/v1/contexts", "", "Host", "localhost"+port)
		r.must(nil, "GET", "/", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate")
		var page struct{ Items []any }
		if r.must(&page, "GET", "/v1/contexts", ""); len(page.Items) != 0 {
			t.Error("a refused request made a context")
		}
	}
}

func TestEveryAnswerHasTheHeadersThatRestrainABrowser(t *testing.T) {
	r := start(t, server.Options{})
	pages := []string{"/", "/c/run", "/inspector.js", "/inspector.css"}
	for _, path := range append(pages, "/healthz", "/openapi.json", "/v1/contexts", "/v1/nothing") {
		h := r.call("GET", path, "").Header
		csp := h.Get("Content-Security-Policy")
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" ||
			!strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") ||
			h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %v", path, h)
		}
	}
}

// raw sends bytes, says that no more come if ends is set, and returns the first line of
// the answer.
func (r *running) raw(bytes string, ends bool) string {
	r.t.Helper()
	conn, err := net.Dial("tcp", r.url[len("http://"):])
	must(r.t, err)
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	go func() {
		_, _ = io.WriteString(conn, bytes) // the server may close before it has read all
		if ends {
			_ = conn.(*net.TCPConn).CloseWrite()
		}
	}()
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil && line == "" {
		return "closed"
	}
	return strings.TrimSpace(line)
}

func TestMalformedRequestsAreRefused(t *testing.T) {
	r := start(t, server.Options{})
	host, auth := r.url[len("http://"):], "Authorization: Bearer "+r.Token()+"\r\n"
	post := "POST /v1/contexts HTTP/1.1\r\nHost: " + host + "\r\n" + auth + "Content-Type: application/json\r\n"
	for _, c := range []struct{ name, bytes, want string }{
		{"HTTP/1.0 without a host", "GET /v1/contexts HTTP/1.0\r\n" + auth + "\r\n", "421"},
		{"HTTP/1.0 with a host", "GET /v1/contexts HTTP/1.0\r\nHost: " + host + "\r\n" + auth + "\r\n", "200"},
		{"headers of 1 MB", "GET /v1/contexts HTTP/1.1\r\nHost: " + host + "\r\n" + auth + "X: " +
			strings.Repeat("x", 1<<20) + "\r\n\r\n", "431"},
		{"a body shorter than its length", post + "Content-Length: 100\r\n\r\n{\"name\":\"a\"}", "400"},
		{"a body longer than its length", post + "Connection: close\r\nContent-Length: 12\r\n\r\n" +
			"{\"name\":\"a\"}{\"name\":\"b\"}", "201"},
		{"two lengths", post + "Content-Length: 12\r\nContent-Length: 13\r\n\r\n{\"name\":\"c\"}", "400"},
	} {
		if got := r.raw(c.bytes, c.name == "a body shorter than its length"); !strings.Contains(got, " "+c.want+" ") {
			t.Errorf("%s: %q, want %s", c.name, got, c.want)
		}
	}
	var page struct{ Items []struct{ Name string } }
	if r.must(&page, "GET", "/v1/contexts", ""); fmt.Sprint(page.Items) != "[{a}]" {
		t.Errorf("contexts %v, want only a", page.Items)
	}
}

func TestBodiesThatAreNoJSONObjectOfTheOperationAreRefused(t *testing.T) {
	r := start(t, server.Options{})
	create := func(body string) reply { return r.call("POST", "/v1/contexts", body) }
	for name, body := range map[string]string{
		"no JSON":           `{"name":`,
		"invalid UTF-8":     "{\"name\":\"\xff\"}",
		"a list":            `["secret-content"]`,
		"another type":      `{"name":17}`,
		"another member":    `{"name":"a","secret-content":1}`,
		"two values":        `{"name":"a"}{}`,
		"one member twice":  `{"name":"a","edition":"canonical","name":"b"}`,
		"twice in a value":  `{"name":"a","attrs":{"x:y":[{"b":1,"a":2,"b":3}]}}`,
		"a name of a path":  `{"name":".."}`,
		"an empty name":     `{"name":""}`,
		"a wrong attribute": `{"name":"a","attrs":{"no namespace":1}}`,
	} {
		f := create(body).refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
		if f.Detail == "" {
			t.Errorf("%s: no message", name)
		}
	}
	for _, body := range []string{"null", "[]", "5", `"a"`} {
		r.call("POST", "/v1/contexts/a/undo", body).refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
	}
	if f := create(`{"name":}`).refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID"); f.Offset == nil ||
		*f.Offset != 8 {
		t.Errorf("the offset %v, want 8", f.Offset)
	}
	create(`{"name":"a","edition":"v9"}`).refused(t, http.StatusBadRequest, "E_SELECTOR_INVALID")
	create(`{"name":"a","attrs":{"x:y":`+strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)+`}}`).
		refused(t, http.StatusRequestEntityTooLarge, "E_LIMIT")
	create(`{"name":"a","attrs":{"x:y":`+strings.Repeat("1", 1_000_000)+`}}`).
		refused(t, http.StatusRequestEntityTooLarge, "E_LIMIT")
	for _, number := range []string{"0." + strings.Repeat("3", 1_000_000), "1e" + strings.Repeat("9", 1_000_000)} {
		if got := create(`{"name":"a","attrs":{"x:y":` + number + `}}`); got.StatusCode != 413 && got.StatusCode != 400 {
			t.Errorf("%.3s…: %s", number, got.Status)
		}
	}
	create(`{"name":"`+strings.Repeat("a", server.MaxBody)+`"}`).refused(t, http.StatusRequestEntityTooLarge, "E_LIMIT")
	r.call("POST", "/v1/contexts", `{"name":"a"}`, "Content-Type", "text/plain").
		refused(t, http.StatusUnsupportedMediaType, "E_MEDIA_TYPE")
	var page struct{ Items []any }
	if r.must(&page, "GET", "/v1/contexts", ""); len(page.Items) != 0 {
		t.Error("a refused request made a context")
	}
}

func TestUnknownPathsMethodsAndParametersAreRefused(t *testing.T) {
	r := start(t, server.Options{})
	r.call("GET", "/v1/nothing", "").refused(t, http.StatusNotFound, "E_ROUTE")
	got := r.call("PUT", "/v1/contexts", "{}")
	got.refused(t, http.StatusMethodNotAllowed, "E_ROUTE")
	if !strings.Contains(got.Header.Get("Allow"), "POST") {
		t.Errorf("Allow is %q", got.Header.Get("Allow"))
	}
	for _, query := range []string{"limit=0", "limit=1001", "limit=secret-content", "nothing=1"} {
		f := r.call("GET", "/v1/contexts?"+query, "").refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
		if strings.Contains(f.Detail, "secret-content") {
			t.Errorf("the message repeats the value: %s", f.Detail)
		}
	}
}

func TestARefusalRepeatsNoLongText(t *testing.T) {
	r := start(t, server.Options{})
	long := strings.Repeat("ü", 10_000)
	for path, want := range map[string]string{"contexts/" + long: "404 E_CONTEXT_NOT_FOUND",
		"contexts?" + long + "=1": "400 E_DOCUMENT_INVALID", "grep?regexp=true&q=(" + long[:900]: "400 E_SELECTOR_INVALID"} {
		got := r.call("GET", "/v1/"+path, "")
		status, code, _ := strings.Cut(want, " ")
		got.refused(t, map[string]int{"404": 404, "400": 400}[status], code)
		if len(got.body) > 4000 {
			t.Errorf("%.20s: a refusal of %d bytes", path, len(got.body))
		}
	}
	got := r.call("POST", "/v1/contexts", `{"`+long+`":1}`)
	got.refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
	if len(got.body) > 4000 {
		t.Errorf("a refusal of %d bytes", len(got.body))
	}
}

// TestBrowsersKeepToTLS asks a server that only TLS reaches by its name and by the names of loopback.
func TestBrowsersKeepToTLS(t *testing.T) {
	for _, c := range []struct {
		options    server.Options
		host, want string
	}{
		{server.Options{OnlyNamed: true, Hosts: []string{"pact.example"}}, "pact.example:8443", "max-age=31536000"},
		{server.Options{OnlyNamed: true, Hosts: []string{"pact.example"}}, "localhost", ""},
		{server.Options{Hosts: []string{"pact.example"}}, "pact.example", ""},
	} {
		r := start(t, c.options)
		if got := r.call("GET", "/healthz", "", "Host", c.host).Header.Get("Strict-Transport-Security"); got != c.want {
			t.Errorf("%s: %q, want %q", c.host, got, c.want)
		}
	}
}
