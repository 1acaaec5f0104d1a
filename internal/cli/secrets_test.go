package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/cli"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/record"

	"github.com/contexttree/pact/store/postgres"
	"github.com/contexttree/pact/store/sqlite"
)

// The names under which a client proves who it is, in headers and in the query of a URL.
var (
	secretHeaders = []string{"Authorization", "Proxy-Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "Cookie",
		"X-Amz-Security-Token", "X-Signature", "Openai-Api-Secret", "Cf-Access-Client-Secret", "X-Auth"}
	secretQueries = []string{"key", "api_key", "access_token", "sig", "X-Amz-Signature", "X-Amz-Credential", "auth",
		"password"}
)

// secretOf is the value that stands under a name. It looks as keys do.
func secretOf(name string) string {
	return "sk0-" + strings.ToLower(strings.ReplaceAll(name, "-", "_")) + "-9f86d081884c7d65"
}

// quoting is a provider that repeats the secrets of a request wherever it can: in the text of its answer, its
// headers, errors and in a stream that breaks off.
func quoting(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	var said []string
	for _, name := range secretHeaders {
		said = append(said, r.Header.Get(name))
	}
	for _, name := range secretQueries {
		said = append(said, r.URL.Query().Get(name))
	}
	all := strings.Join(said, " ")
	w.Header().Set("Set-Cookie", "session="+secretOf("Set-Cookie"))
	w.Header().Set("X-Request-Id", "req-"+secretOf("X-Api-Key"))
	switch r.Header.Get("X-Case") {
	case "error":
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"type":"authentication_error","message":"not with %s"}}`, all)
	case "not JSON":
		fmt.Fprint(w, all)
	case "broken":
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"id\":\"%s\",\"choices\":[{\"delta\":{\"content\":\"%s\"}}]}\n\ndata: {\"cho", all, all)
	case "gone":
		panic(http.ErrAbortHandler)
	case "refusal":
		fmt.Fprintf(w, `{"id":"c","choices":[{"message":{"role":"assistant","refusal":"%s"},"finish_reason":"stop"}]}`, all)
	default:
		fmt.Fprintf(w, `{"id":"c","model":"%s","choices":[{"message":{"role":"assistant","content":"%s"},`+
			`"finish_reason":"stop"}]}`, all, all)
	}
}

// callWithSecrets makes calls that have every kind of secret, once in the body as well.
func callWithSecrets(t *testing.T, client *http.Client, address string) {
	t.Helper()
	var all []string
	query := url.Values{}
	for _, name := range secretQueries {
		query.Set(name, secretOf(name))
		all = append(all, secretOf(name))
	}
	for _, name := range secretHeaders {
		if name != "Proxy-Authorization" { // it is for the proxy, which takes it off before the recorder sees it
			all = append(all, secretOf(name))
		}
	}
	for _, kind := range []string{"answer", "refusal", "error", "not JSON", "broken", "gone", "not a call"} {
		path := "/v1/chat/completions"
		if kind == "not a call" {
			path = "/v1/models"
		}
		body := fmt.Sprintf(`{"model":"m","user":%q,"messages":[{"role":"user","content":"%s: I have %s"}]}`, all[0], kind,
			strings.Join(all, ", "))
		req, err := http.NewRequest(http.MethodPost, address+path+"?"+query.Encode(), strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range secretHeaders {
			value := secretOf(name)
			switch name {
			case "Authorization", "Proxy-Authorization":
				value = "Bearer " + value
			case "Cookie":
				value = "theme=dark; session=" + value
			}
			req.Header.Set(name, value)
		}
		req.Header.Set("X-Case", kind)
		resp, err := client.Do(req)
		if err != nil {
			continue // the provider hung up, as it should
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

// No secret of a request is in a store, a log, an export or an output: it was recorded through the proxy and
// through the middleware, by a provider that is there and one that is not, in a file and in PostgreSQL.
func TestNoSecretIsKeptAnywhere(t *testing.T) {
	t.Run("file", func(t *testing.T) { scanForSecrets(t, filepath.Join(t.TempDir(), "pact.db")) })
	t.Run("postgres", func(t *testing.T) { scanForSecrets(t, postgrestest.Database(t)) })
}

func scanForSecrets(t *testing.T, db string) {
	var logged bytes.Buffer
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	provider := httptest.NewServer(http.HandlerFunc(quoting))
	defer provider.Close()
	for name, upstream := range map[string]string{"proxied": provider.URL, "down": "http://127.0.0.1:1"} {
		throughProxy(t, db, name, upstream, &logged)
	}
	s := openForSecrets(t, db)
	rec := record.New(s, record.Options{Context: "inside"})
	callWithSecrets(t, &http.Client{Transport: rec.Transport(nil)}, provider.URL)
	callWithSecrets(t, &http.Client{Transport: rec.Transport(nil)}, "http://127.0.0.1:1")
	rec.Close()
	if got := rec.Stats(); got.Calls == 0 || got.Lost > 0 {
		t.Fatalf("%+v", got)
	}
	found := map[string][]byte{"logs": logged.Bytes(), "requests": keptRequests(t, s)}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, out, _ := run(t, "", "contexts", "--json", "--db", db)
	found["contexts"] = []byte(out)
	for _, name := range []string{"proxied", "down", "inside"} {
		for _, args := range [][]string{{"export", name, "--all"}, {"export", name}, {"log", name, "--json"},
			{"log", name, "--attempts", "--json"}, {"log", name, "--attempts"}, {"request", name}, {"request", name, "--json"},
			{"request", name, "working"}, {"request", name, "working", "--broken"}, {"request", name, "@c1", "--json"},
			{"show", name, "--as", "thread"}, {"show", name, "--as", "openai"}, {"log", name, "--provider", "--json"}, {"show", name},
			{"timeline", name, "--json"}, {"verify", name}} {
			_, out, problems := run(t, "", append(args, "--db", db)...)
			found[strings.Join(args, " ")] = []byte(out + problems)
		}
	}
	files, err := filepath.Glob(db + "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if found[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Contains(found["export inside --all"], []byte("[redacted]")) || !bytes.Contains(found["requests"],
		[]byte("[redacted]")) {
		t.Error("the scan sees nothing that was recorded")
	}
	for where, data := range found {
		for _, name := range slices.Concat(secretHeaders, secretQueries, []string{"Set-Cookie"}) {
			if at := bytes.Index(data, []byte(secretOf(name))); at >= 0 {
				t.Errorf("the secret of %s is in %s: …%s", name, where, data[max(0, at-60):min(len(data), at+40)])
			}
		}
	}
}

// throughProxy records calls with pact proxy, whose output joins the log.
func throughProxy(t *testing.T, db, name, upstream string, logged *bytes.Buffer) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	read, write := io.Pipe()
	var said bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Run(ctx, []string{"proxy", "--upstream", upstream, "--db", db, "--name", name},
			cli.Streams{In: strings.NewReader(""), Out: write, Err: &said})
		write.Close()
	}()
	address, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	callWithSecrets(t, http.DefaultClient, strings.TrimSpace(address))
	stop()
	select {
	case code := <-ended:
		if code != 0 || !strings.Contains(said.String(), "recorded ") {
			t.Errorf("exit %d: %s", code, said.String())
		}
	case <-time.After(time.Minute):
		t.Fatal("the proxy does not end")
	}
	logged.Write(said.Bytes())
}

func openForSecrets(t *testing.T, db string) *pact.DB {
	t.Helper()
	var s *pact.DB
	var err error
	if strings.HasPrefix(db, "postgres") {
		s, err = dbtest.Open(postgres.Open(t.Context(), db))
	} else {
		s, err = dbtest.Open(sqlite.Open(t.Context(), db))
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// keptRequests returns what the attempts keep of requests, which the store compresses.
func keptRequests(t *testing.T, s *pact.DB) (all []byte) {
	t.Helper()
	for _, name := range []string{"proxied", "down", "inside"} {
		c, err := pact.Open(t.Context(), s, name, nil)
		if err != nil {
			t.Fatal(err)
		}
		first, last := c.Cycles()
		attempts, err := c.Attempts(t.Context(), first, last+1)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range attempts {
			text, err := history.UnpackRequest(a.Request)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, text...)
		}
	}
	return all
}
