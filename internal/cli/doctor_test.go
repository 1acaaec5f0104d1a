package cli_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/contexttree/pact/internal/cli"
)

// astray is a program whose calls do not come to pact. Its argument says why: it asks the proxy of the
// environment for every address, as curl does; it opens a WebSocket alone; or it knows its address itself.
func astray() {
	address, client := os.Getenv("OPENAI_BASE_URL")+"/responses", http.DefaultClient
	req, err := http.NewRequest(http.MethodPost, address, strings.NewReader(`{"model":"m","input":"hi"}`))
	switch os.Args[1] {
	case "proxied":
		to, err := url.Parse(os.Getenv("HTTP_PROXY"))
		if err != nil {
			panic(err)
		}
		client = &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(to)}}
	case "socket":
		req, err = http.NewRequest(http.MethodGet, address, nil)
		req.Header.Set("Connection", "Upgrade")
		req.Header.Set("Upgrade", "websocket")
	case "fixed":
		req, err = http.NewRequest(http.MethodPost, os.Args[2]+"/v1/responses", strings.NewReader(`{"model":"m","input":"hi"}`))
	case "models":
		req, err = http.NewRequest(http.MethodGet, os.Getenv("OPENAI_BASE_URL")+"/models", nil)
	}
	if err != nil {
		panic(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		panic(err)
	}
	_, _ = io.Copy(os.Stdout, resp.Body)
	os.Exit(1)
}

// doctor runs pact doctor and returns what does not work, by what was tried.
func doctor(t *testing.T, env []string, args ...string) map[string]string {
	t.Helper()
	var out, problems bytes.Buffer
	code := cli.Run(t.Context(), append([]string{"doctor", "--json"}, args...), cli.Streams{In: strings.NewReader(""), Out: &out,
		Err: &problems, Env: env})
	var list []struct {
		Tried, Says, Remedy string
		Works               bool
	}
	if err := json.Unmarshal(out.Bytes(), &list); err != nil {
		t.Fatalf("%v: %s%s", err, &out, &problems)
	}
	fails := map[string]string{}
	for _, c := range list {
		if !c.Works {
			if c.Remedy == "" {
				t.Errorf("%s has no remedy: %s", c.Tried, c.Says)
			}
			fails[c.Tried] += c.Says + "\n" + c.Remedy
		}
	}
	if want := min(len(fails), 1); code != want {
		t.Errorf("exit code %d with %d failures", code, len(fails))
	}
	return fails
}

// Each broken set-up, of real parts, is named with its cause and its remedy, and no other is.
func TestDoctorNamesCauseAndRemedy(t *testing.T) {
	var passed atomic.Int64 // what went another way than to pact
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		passed.Add(1)
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer foreign.Close()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	home := t.TempDir()
	base := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "PACT_DB=" + filepath.Join(home, "pact.db")}
	with := func(pairs ...string) []string { return append(pairs, base...) }
	settings := filepath.Join(home, "configured")
	must(t, os.MkdirAll(settings, 0o700))
	must(t, os.WriteFile(filepath.Join(settings, "settings.json"),
		[]byte(`{"env":{"ANTHROPIC_BASE_URL":"https://${HOST}"}}`), 0o600))
	for _, c := range []struct {
		name        string
		env, args   []string
		fails       string // what was tried
		says        string
		remedy      string
		alsoProgram bool  // the program shows it too
		passed      int64 // calls that went another way
	}{
		{"healthy", base, []string{"--", "agent"}, "", "", "", false, 0},
		{"no folder for a store", base, []string{"--db", filepath.Join(home, "none", "x.db")}, "store", "no store can be made at", "make the folder",
			false, 0},
		{"no store", base, []string{"--db", filepath.Join(settings, "settings.json")}, "store", "", "", false, 0},
		{"port taken", base, []string{"--addr", taken.Addr().String()}, "address", "cannot listen on " + taken.Addr().String(),
			"another address", false, 0},
		{"foreign proxy that nothing keeps out", with("HTTP_PROXY=" + foreign.URL), []string{"--", "astray", "proxied"}, "program",
			"nothing of astray came", "start a proxy", true, 1},
		{"foreign proxy that spares loopback", with("HTTP_PROXY="+foreign.URL, "NO_PROXY=x, 127.0.0.1"), nil, "", "", "", false, 0},
		{"WebSocket", base, []string{"--", "astray", "socket"}, "program", "astray opens a WebSocket", "turn WebSockets off", false, 0},
		{"address not taken", base, []string{"--", "astray", "fixed", foreign.URL}, "program", "nothing of astray came",
			"pact proxy --upstream", false, 1},
		{"no call of a model", base, []string{"--", "astray", "models"}, "program", "GET /openai/v1/models", "asks its model", false, 0},
		{"own settings", with("CLAUDE_CONFIG_DIR=" + settings), nil, "settings", "settings.json: ANTHROPIC_BASE_URL is https://${HOST}",
			"write the address in full there", false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			before := passed.Load()
			args := c.args
			if len(args) > 2 && args[0] == "--" { // the program gets the environment of this process
				for _, pair := range c.env {
					name, value, _ := strings.Cut(pair, "=")
					t.Setenv(name, value)
				}
			}
			fails := doctor(t, c.env, args...)
			says := fails[c.fails]
			if c.fails != "" && (says == "" || !strings.Contains(says, c.says) || !strings.Contains(says, c.remedy)) {
				t.Errorf("it says %q of %q", says, c.fails)
			}
			delete(fails, c.fails)
			if c.alsoProgram {
				delete(fails, "program")
			}
			if len(fails) > 0 {
				t.Errorf("it also blames %q", fails)
			}
			if n := passed.Load() - before; n != c.passed {
				t.Errorf("%d calls went another way, want %d", n, c.passed)
			}
		})
	}
	t.Run("own settings of a program", func(t *testing.T) {
		bin := t.TempDir()
		must(t, os.WriteFile(filepath.Join(bin, "claude"), []byte("#!/bin/sh\ntouch "+bin+"/ran\n"), 0o700))
		path := bin + string(filepath.ListSeparator) + os.Getenv("PATH")
		t.Setenv("PATH", path)
		fails := doctor(t, append(with("CLAUDE_CONFIG_DIR="+settings), "PATH="+path), "--", "claude")
		if _, err := os.Stat(filepath.Join(bin, "ran")); err == nil {
			t.Error("the program ran, though its calls go to a provider")
		}
		if says := fails["program"]; !strings.Contains(says, "claude was not run") || !strings.Contains(says, "settings") {
			t.Errorf("it says %q of the program", says)
		}
	})
	if _, err := os.Stat(filepath.Join(home, "pact.db")); err == nil {
		t.Error("doctor left a store behind")
	}
}
