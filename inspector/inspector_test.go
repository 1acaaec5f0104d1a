package inspector

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestScriptAndStyleAreSmall holds the budget of a first visit. It grew from 66,000 by the pane of costs: two policies
// drawn over each other, findings and the list of calls take 2,400.
func TestScriptAndStyleAreSmall(t *testing.T) {
	const budget = 67_000
	sum := len(files()["inspector.js"].packed) + len(files()["inspector.css"].packed)
	if sum >= budget {
		t.Errorf("script and style have %d bytes compressed, not below %d", sum, budget)
	}
	t.Logf("script and style have %d bytes compressed", sum)
}

func TestPagesAreServedAsTheBrowserCanReadThem(t *testing.T) {
	mux := http.NewServeMux()
	Register(mux)
	for path, want := range map[string]string{
		"/": "text/html", "/c/run": "text/html", "/c/a/b": "text/html", "/c/a%2Fb": "text/html",
		"/inspector.js": "text/javascript", "/inspector.css": "text/css", "/icon.svg": "image/svg+xml",
	} {
		for _, accepted := range []string{"", "gzip, br"} {
			r := httptest.NewRequest("GET", path, nil)
			r.Header.Set("Accept-Encoding", accepted)
			w := httptest.NewRecorder()
			mux.ServeHTTP(w, r)
			h := w.Result().Header
			if kind, _, _ := strings.Cut(h.Get("Content-Type"), ";"); w.Code != 200 || kind != want {
				t.Errorf("%s: %d, %s, want %s", path, w.Code, kind, want)
			}
			body := io.Reader(w.Body)
			if packed := h.Get("Content-Encoding") == "gzip"; packed != (accepted != "") {
				t.Errorf("%s: compressed: %t, but the browser accepts %q", path, packed, accepted)
			} else if packed {
				unpacked, err := gzip.NewReader(body)
				if err != nil {
					t.Fatal(err)
				}
				body = unpacked
			}
			content, err := io.ReadAll(body)
			if err != nil || len(content) == 0 {
				t.Errorf("%s: %d bytes, %v", path, len(content), err)
			}
			r.Header.Set("If-None-Match", h.Get("ETag"))
			again := httptest.NewRecorder()
			if mux.ServeHTTP(again, r); again.Code != http.StatusNotModified || again.Body.Len() != 0 {
				t.Errorf("%s again: %d", path, again.Code)
			}
		}
	}
}

// TestThePageHasNoMarkupThatItsPolicyForbids: Content-Security-Policy lets neither scripts
// nor styles stand in the page.
func TestThePageHasNoMarkupThatItsPolicyForbids(t *testing.T) {
	page := string(files()["index.html"].plain)
	for _, forbidden := range []string{"<style", "style=", "<script>", "onload=", "http:", "https:", "data:"} {
		if strings.Contains(page, forbidden) {
			t.Errorf("the page has %q", forbidden)
		}
	}
}

// TestVendoredFilesAreThoseOfTheirPackages holds inspector/vendor to its checksums.
func TestVendoredFilesAreThoseOfTheirPackages(t *testing.T) {
	list, err := os.ReadFile("vendor/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for s := bufio.NewScanner(bytes.NewReader(list)); s.Scan(); {
		sum, name, ok := strings.Cut(s.Text(), "  ")
		if !ok {
			t.Fatalf("%q is no checksum and name", s.Text())
		}
		want[name] = sum
	}
	err = filepath.WalkDir("vendor", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "SHA256SUMS" || path == filepath.Join("vendor", "README.md") {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel("vendor", path)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		if have := hex.EncodeToString(sum[:]); want[filepath.ToSlash(name)] != have {
			t.Errorf("%s has the checksum %s", path, have)
		}
		delete(want, filepath.ToSlash(name))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range want {
		t.Errorf("vendor/%s is missing", name)
	}
}
