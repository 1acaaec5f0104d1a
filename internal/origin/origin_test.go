package origin_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/contexttree/pact/internal/origin"
)

// A request is foreign by what its headers say, of which the browser sets each, and by one of them alone.
func TestForeignRequestsAreKnownByTheirHeaders(t *testing.T) {
	for _, c := range []struct {
		origin []string
		site   string
		want   bool
	}{
		{},
		{site: "none"}, // typed into the address line
		{site: "same-origin"},
		{site: "same-site", want: true}, // another port of this machine
		{site: "cross-site", want: true},
		{site: "anything", want: true},
		{origin: []string{"http://127.0.0.1:80"}},
		{origin: []string{"https://127.0.0.1:80"}},
		{origin: []string{"http://127.0.0.1:81"}, want: true},
		{origin: []string{"http://localhost:80"}, want: true},
		{origin: []string{"http://evil.example"}, site: "same-origin", want: true},
		{origin: []string{"http://127.0.0.1:80"}, site: "cross-site", want: true},
		{origin: []string{"null"}, want: true},
		{origin: []string{""}, want: true},
		{origin: []string{"file://127.0.0.1:80"}, want: true},
		{origin: []string{"http://127.0.0.1:80", "http://evil.example"}, want: true},
	} {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:80/v1/messages", nil)
		if c.origin != nil {
			r.Header["Origin"] = c.origin
		}
		if c.site != "" {
			r.Header.Set("Sec-Fetch-Site", c.site)
		}
		if got := origin.Foreign(r); got != c.want {
			t.Errorf("%q, %q: foreign is %v", c.origin, c.site, got)
		}
	}
}
