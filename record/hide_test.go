package record

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// Words of ordinary headers are no credentials, and credentials are found where they stand.
func TestOnlyCredentialsAreHidden(t *testing.T) {
	const key = "sk-live-8f3aZq91LmXw"
	for _, c := range []struct {
		name, value, address string
		hidden               bool
	}{
		{"Cookie", "role=assistant", "", false},
		{"Cookie", "theme=" + key, "", false},
		{"Cookie", "theme=dark; connect.sid=" + key, "", true},
		{"Cookie", "JSESSIONID=" + key, "", true},
		{"X-Token-Limit", key + " characters", "", false},
		{"X-Keyboard", key, "", false},
		{"X-RapidAPI-Key", key, "", true},
		{"X-Functions-Key", key, "", true},
		{"X-Auth-Key", key, "", true},
		{"X-Vault-Token", key, "", true},
		{"X-Access-Key", key, "", true},
		{"X-Secret-Key", key, "", true},
		{"Private-Token", key, "", true},
		{"Session-Token", key, "", true},
		{"Cf-Access-Jwt-Assertion", key, "", true},
		{"X-Gateway-Secret", key, "", true},
		{"Token", key, "", true},
		{"Idempotency-Key", key, "", false},
		{"X-Prompt-Cache-Key", key, "", false},
		{"Sec-WebSocket-Key", key, "", false},
		{"X-Tokens", key, "", false},
		{"X-Keys", key, "", false},
		{"Authorization", "Bearer " + key, "", true},
		{"Authorization", "AWS4-HMAC-SHA256 Credential=a/b, Signature=" + key, "", true},
		{"Authorization", "AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=content-type;host;x-amz-content-sha256, Signature=" + key, "", true},
		{"Authorization", `Digest username="somebody.else", realm="a.gateway.example", uri="/v1/chat/completions", response="` + key + `"`, "", true},
		{"Authorization", "EG1-HMAC-SHA256 client_token=a;access_token=" + key + ";timestamp=20261127T17:00:00+0000;nonce=n", "", true},
		{"Authorization", "EG1-HMAC-SHA256 client_token=" + key + ";access_token=a", "", true},
		{"Authorization", `Hawk id="somebody.else", ts="1353832234", mac="` + key + `"`, "", true},
		{"Authorization", `MAC id="somebody.else",nonce="n",mac="` + key + `"`, "", true},
		{"Authorization", "Custom a;" + key, "", true},
		{"Authorization", "GoogleLogin auth=" + key, "", true},
		{"Authorization", key, "", true},
		{"authorization", "Bearer assistant", "", false},
		{"X-Serverless-Authorization", "Bearer " + key, "", true},
		{"Acme-Gateway-Api-Key", key, "", true},
		{"X-Monkey", key, "", false},
		{"X-Api-Key-Id", key, "", false},
		{"Cookie", "__Secure-authjs.session-token=" + key, "", true},
		{"Cookie", "__Host-session=" + key, "", true},
		{"Cookie", "no-session=" + key, "", false},
		{"X-Api-Key", key, "", true},
		{"x_api_key", key, "", true},
		{"X-Api-Key", key[:15], "", false},
		{"X-Api-Key", "aaaaaaaaaaaaaaaaaaaaaaaa", "", false},
		{"X-Goog-Api-Key", key, "", true},
		{"Accept", "*/*", "?key=" + key, true},
		{"Accept", "*/*", "?keyword=" + key, false},
	} {
		req, err := http.NewRequest(http.MethodPost, "http://host/v1/messages"+c.address, nil)
		must(t, err)
		req.Header[http.CanonicalHeaderKey(c.name)] = []string{c.value}
		var h hider
		h.secretsOf(req)
		text := `{"content":"characters aaaaaaaaaaaaaaaaaaaaaaaa ` + key[:15] +
			` AWS4-HMAC-SHA256 content-type x-amz-content-sha256 SignedHeaders=content-type somebody.else a.gateway.example ` +
			`/v1/chat/completions 20261127T17:00:00+0000 ` + key + `","role":"assistant"}`
		read, n, err := h.body([]byte(text))
		must(t, err)
		if (n == 1) != c.hidden || n > 1 || !c.hidden && len(h.secrets) > 0 {
			t.Errorf("%s: %s %s: %d places hidden, of %q", c.name, c.value, c.address, n, h.secrets)
		}
		if got, err := read.Bytes(); err != nil || string(got) != strings.Replace(text, key+`"`, map[bool]string{true: redacted,
			false: key}[c.hidden]+`"`, 1) {
			t.Errorf("%s: %s %v", c.name, got, err)
		}
	}
}

// A body without the text of a header comes back byte for byte, whatever the headers are.
func TestABodyWithoutCredentialsIsLeftAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 7))
	words := strings.Fields("role assistant user content characters 10000000 tool_use Bearer session key a text null limit input")
	names := strings.Fields("Cookie Authorization X-Api-Key X-Token-Limit Api-Key X-Secret Set-Key Proxy-Authorization Signature User-Agent")
	draw := func(n int) string {
		var parts []string
		for range n {
			parts = append(parts, words[r.IntN(len(words))])
		}
		return strings.Join(parts, []string{" ", "=", "; ", ","}[r.IntN(4)])
	}
	for range 500 {
		req, err := http.NewRequest(http.MethodPost, "http://host/v1/messages?"+strings.ReplaceAll(draw(2), " ", "+"), nil)
		if err != nil {
			continue // no address
		}
		body := `{"messages": [{"role":"user","content":"` + draw(9) + `"}],"model":"` + draw(1) + `"}`
		repeats := false
		for range 3 {
			value := draw(1 + r.IntN(4))
			req.Header.Add(names[r.IntN(len(names))], value)
			for _, part := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" ;,", r) }) {
				_, behind, _ := strings.Cut(part, "=")
				repeats = repeats || len(part) >= 16 && strings.Contains(body, part) || len(behind) >= 16 && strings.Contains(body, behind)
			}
		}
		var h hider
		h.secretsOf(req)
		read, n, err := h.body([]byte(body))
		must(t, err)
		if got, err := read.Bytes(); !repeats && (err != nil || n > 0 || !bytes.Equal(got, []byte(body))) {
			t.Fatalf("with %v\n%s became\n%s, %d places: %v", req.Header, body, got, n, err)
		}
	}
}

// The known forms are hidden in bodies when they are asked for, with the expressions of the user.
func TestKnownFormsAreHiddenWhenTheyAreAskedFor(t *testing.T) {
	text := `{"content":"acme-1 npm_` + strings.Repeat("aB3dE5gH9", 4) + `"}`
	for _, o := range []Options{{}, {RedactSecrets: true}, {RedactSecrets: true, Redact: []*regexp.Regexp{regexp.MustCompile("acme-[0-9]")}}} {
		h := o.hider()
		body, n, err := h.body([]byte(text))
		must(t, err)
		content, _ := body.Value.Get("content")
		want := []string{"acme-1 npm_" + strings.Repeat("aB3dE5gH9", 4), "acme-1 " + redacted, redacted + " " + redacted}[n]
		if n != len(o.Redact)+map[bool]int{true: 1}[o.RedactSecrets] || content.Text != want {
			t.Errorf("%d places: %s", n, content.Text)
		}
	}
}
