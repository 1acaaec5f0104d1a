package server_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/server"
	"pgregory.net/rapid"
)

// token adds a named token to the store of a server, and returns the header with it.
func (r *running) token(name string, write bool, pattern string) []string {
	r.t.Helper()
	secret, t := server.NewToken(name, write, pattern, time.Now())
	if err := server.AddToken(r.t.Context(), r.store, t); err != nil {
		r.t.Fatal(err)
	}
	return []string{"Authorization", "Bearer " + secret}
}

// What no operation of the document tells: the token of the run opens nothing where only named ones do, a pattern opens no
// metrics, and edition 1.0 has its own word.
func TestNamedTokensOpenWhatTheySay(t *testing.T) {
	r := start(t, server.Options{OnlyNamed: true})
	writer, mine := r.token("writer", true, ""), r.token("mine", false, "mine/*")
	r.call("GET", "/v1/contexts", "", "Authorization", "Bearer "+r.Token()).
		refused(t, http.StatusUnauthorized, "E_UNAUTHORIZED")
	r.must(nil, "POST", "/v1/contexts", `{"name":"mine/1","edition":"1.0"}`, writer...)
	if got := r.call("DELETE", "/v1/contexts/mine%2F1", "", mine...); got.StatusCode != http.StatusForbidden ||
		!strings.Contains(string(got.body), `{"error":{"code":"NOT_AUTHORIZED"`) { // 1.0 04 §11
		t.Errorf("%d %s", got.StatusCode, got.body)
	}
	r.call("GET", "/metrics", "", mine...).refused(t, http.StatusForbidden, "E_FORBIDDEN")
	r.must(nil, "GET", "/metrics", "", writer...)
}

func TestARevokedTokenOpensNothingAndItsStreamsEnd(t *testing.T) {
	r := start(t, server.Options{})
	kept, gone := r.token("kept", true, ""), r.token("gone", true, "")
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`, gone...)
	secret := strings.TrimPrefix(gone[1], "Bearer ")
	session := r.must(nil, "POST", "/v1/session", `{"token":"`+secret+`"}`, "Authorization", "-").Cookies()[0]
	cookie := []string{"Authorization", "-", "Cookie", session.Name + "=" + session.Value}
	r.must(nil, "GET", "/v1/contexts/a", "", cookie...)
	staying, ending := r.followAs(t, "a", "", kept[1]), r.followAs(t, "a", "", gone[1])
	must(t, server.RevokeToken(t.Context(), r.store, "gone"))
	what, data := ending.next()
	if what != "failed" || !strings.Contains(data, "E_UNAUTHORIZED") {
		t.Errorf("the stream of a revoked token said %q %s", what, data)
	}
	ending.expect("")
	r.call("GET", "/v1/contexts", "", gone...).refused(t, http.StatusUnauthorized, "E_UNAUTHORIZED")
	r.call("GET", "/v1/contexts", "", cookie...).refused(t, http.StatusUnauthorized, "E_UNAUTHORIZED")
	r.must(nil, "POST", "/v1/contexts/a/commits", `{"cycle":0}`, kept...)
	staying.expect("2 commit")
	again := r.token("gone", true, "") // the same name with another secret is another token
	r.call("GET", "/v1/contexts", "", gone...).refused(t, http.StatusUnauthorized, "E_UNAUTHORIZED")
	r.must(nil, "GET", "/v1/contexts", "", again...)
}

// TestAConversationWithinTheNameIsCheckedToo imports several conversations, whose contexts
// get names of their own, with a token for exactly one name.
func TestAConversationWithinTheNameIsCheckedToo(t *testing.T) {
	r := start(t, server.Options{})
	one := r.token("one", true, "several")
	lines := `{"messages":[{"role":"user","content":"a"}]}` + "\n" + `{"messages":[{"role":"user","content":"b"}]}` + "\n"
	r.call("POST", "/v1/import?form=log&name=several", lines, one...).
		refused(t, http.StatusForbidden, "E_FORBIDDEN")
	var page struct{ Items []any }
	if r.must(&page, "GET", "/v1/contexts", ""); len(page.Items) != 0 {
		t.Error("a refused import made contexts")
	}
}

// TestPatternsAgreeWithModel compares which contexts a token lists with a regular expression.
func TestPatternsAgreeWithModel(t *testing.T) {
	r := start(t, server.Options{})
	names := []string{"a", "b", "aa", "ab", "ba", "aba", "a/b", "b/a", "abab", "aabb", "a*b", "b/b/a"}
	for _, name := range names {
		r.must(nil, "POST", "/v1/contexts", `{"name":"`+name+`"}`)
	}
	patterns := make(map[string][]string)
	rapid.Check(t, func(t *rapid.T) {
		if p := rapid.StringMatching(`[ab/*]{1,5}`).Draw(t, "pattern"); len(patterns) < 40 && patterns[p] == nil {
			patterns[p] = r.token("of "+p, false, p)
		}
	})
	for p, header := range patterns {
		model := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(p), `\*`, ".*") + "$")
		var want []string
		for _, name := range names {
			if model.MatchString(name) {
				want = append(want, name)
			}
		}
		slices.Sort(want)
		var page struct{ Items []struct{ Name string } }
		r.must(&page, "GET", "/v1/contexts", "", header...)
		var got []string
		for _, c := range page.Items {
			got = append(got, c.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("the pattern %s opens %v, want %v", p, got, want)
		}
	}
}

func TestTheStoreHoldsNothingThatOpensTheServer(t *testing.T) {
	r := start(t, server.Options{})
	secret, token := server.NewToken("a", false, "", time.Now())
	if other, _ := server.NewToken("a", false, "", time.Now()); other == secret || len(secret) < 48 {
		t.Errorf("the secrets %s and %s", secret, other)
	}
	must(t, server.AddToken(t.Context(), r.store, token))
	hash := fmt.Sprintf("%x", token.Hash)
	for _, header := range [][]string{{"Authorization", "Bearer " + hash}, {"Authorization", "Bearer " + hash[:1]},
		{"Authorization", "-", "Cookie", "pact=" + hash}} {
		r.call("GET", "/v1/contexts", "", header...).refused(t, http.StatusUnauthorized, "E_UNAUTHORIZED")
	}
}
