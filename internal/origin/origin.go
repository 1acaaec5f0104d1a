package origin

import (
	"net/http"
	"net/url"
	"strings"
)

// Foreign reports whether a browser sent a request for a page of another origin: by the header Origin, which comes
// with all that could change something, or by Sec-Fetch-Site, which comes with everything (Fetch, section 3.2; Fetch
// Metadata, section 2.3). A page can set neither. Programs send none of them. A site is no origin: a page of another
// port or subdomain is foreign too.
func Foreign(r *http.Request) bool {
	if from, ok := r.Header["Origin"]; ok {
		u, err := url.Parse(strings.Join(from, ","))
		if err != nil || u.Host != r.Host || u.Scheme != "http" && u.Scheme != "https" {
			return true
		}
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return site != "" && site != "same-origin" && site != "none"
}
