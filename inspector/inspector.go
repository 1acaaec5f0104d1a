package inspector

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"sync"
)

//go:embed dist
var dist embed.FS

// file is one embedded file, as it is and compressed.
type file struct {
	plain, packed []byte
	kind          string // media type
	tag           string // ETag
}

// types are the media types of the embedded files by their extension. Those that the
// machine has registered could be others.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
}

// files are the embedded files by name, compressed when the first one is asked for.
var files = sync.OnceValue(func() map[string]*file {
	list, err := dist.ReadDir("dist")
	if err != nil {
		panic(err) // the program was built with the files
	}
	all := map[string]*file{}
	for _, entry := range list {
		plain, err := dist.ReadFile("dist/" + entry.Name())
		if err != nil {
			panic(err)
		}
		sum := sha256.Sum256(plain)
		all[entry.Name()] = &file{plain, pack(plain), types[path.Ext(entry.Name())], `"` + hex.EncodeToString(sum[:16]) + `"`}
	}
	return all
})

// pack compresses with gzip.
func pack(plain []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	_, _ = w.Write(plain) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

// Register adds the pages to a router: / lists the contexts, /c/NAME shows one of them.
func Register(mux *http.ServeMux) {
	for route, name := range map[string]string{
		"GET /{$}":           "index.html",
		"GET /c/{name...}":   "index.html",
		"GET /inspector.js":  "inspector.js",
		"GET /inspector.css": "inspector.css",
		"GET /icon.svg":      "icon.svg",
	} {
		mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) { files()[name].serve(w, r) })
	}
}

// serve answers with the file, compressed if the browser can read that.
func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "no-cache") // it is asked for again each time, and comes only if it changed
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", f.tag)
	if r.Header.Get("If-None-Match") == f.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	content := f.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		content = f.packed
	}
	if r.Method != http.MethodHead {
		_, _ = w.Write(content) // a browser that went away does not need it
	}
}
