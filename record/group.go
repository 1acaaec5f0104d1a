package record

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/tree"
)

// group says whose calls a call belongs to: a request can only continue
// conversations of its own group. A group holds hashes of header values,
// because a recorder must not store the values. What a person can choose is not even hashed in a store, where
// an erasure would leave it to be guessed: a name in X-Pact-Context is keyed, and the fields of a body stay in
// the record of the request alone.
type group struct {
	by      string // the header or field that names the group, or bySystem
	id      string // "" for none
	session string // id that all agents of one session share; "" without a session
	parent  string // id of the group of the agent that began this one, "" if the headers do not say
	agent   bool   // an agent and its sub-agents send this session's calls
	sub     bool   // the headers say that a sub-agent sent the call
	window  string // Codex counts it up when it compacts a conversation
}

// The origins of groups that people name, and of one that neither a header nor a field names.
const (
	byName   = "X-Pact-Context"
	byKey    = "prompt_cache_key"
	byUser   = "metadata.user_id"
	bySystem = "the system prompt"
)

// sessions lists the headers that agents were seen to send: one names the session, one the
// thread or sub-agent within it, one the session or thread that began this one. opencode also
// sends Session-Id, which Codex sends alone.
var sessions = []struct{ session, part, parentSession, parentPart string }{
	{session: "X-Claude-Code-Session-Id", part: "X-Claude-Code-Agent-Id"},
	{session: "X-Session-Id", parentSession: "X-Parent-Session-Id"},                    // opencode
	{session: "Session-Id", part: "Thread-Id", parentPart: "X-Codex-Parent-Thread-Id"}, // Codex
}

// groupOfHeaders returns the group that the headers of a request name, if any.
func groupOfHeaders(h http.Header) group {
	if name := h.Get(byName); name != "" {
		return group{by: byName, id: hashed(byName, name)}
	}
	for _, s := range sessions {
		session, part := headerNamed(h, s.session), headerNamed(h, s.part)
		if session+part == "" {
			continue
		}
		g := group{by: s.session, id: hashed(s.session, session, part), agent: true, window: h.Get("X-Codex-Window-Id")}
		parentSession, parentPart := headerNamed(h, s.parentSession), headerNamed(h, s.parentPart)
		switch {
		case parentSession != "":
			g.session, g.parent = hashed(s.session, parentSession), hashed(s.session, parentSession, "")
		case session != "":
			g.session = hashed(s.session, session)
		default:
			g.by = s.part
		}
		if parentPart != "" {
			g.parent = hashed(s.session, session, parentPart)
		}
		g.sub = g.parent != "" || s.part == "X-Claude-Code-Agent-Id" && part != ""
		return g
	}
	return group{}
}

func headerNamed(h http.Header, name string) string {
	if name == "" {
		return ""
	}
	return h.Get(name)
}

// groupOfBody returns the group of a request whose headers name none.
func groupOfBody(r *provider.Request, system []block) group {
	metadata, _ := r.Parameters.Get("metadata")
	for _, f := range []struct {
		of    canon.Any
		field string
		by    string
	}{
		{r.Parameters, "prompt_cache_key", byKey},
		{metadata, "user_id", byUser},
	} {
		if v, _ := f.of.Get(f.field); v.Kind == canon.KindString && v.Text != "" {
			return group{by: f.by, id: hashed(f.by, v.Text)}
		}
	}
	return groupOfSystem(system)
}

// groupOfSystem is the group of all conversations with one system prompt.
func groupOfSystem(system []block) group {
	texts := []string{bySystem}
	for i := range system {
		if system[i].kind != "tool" {
			texts = append(texts, string(system[i].key[:]))
		}
	}
	return group{by: bySystem, id: hashed(texts...)}
}

// hashed returns a short hash of texts.
func hashed(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// attr encodes the group as an attribute of the root. A later recorder reads it
// to learn whose calls the context records.
func (g *group) attr() map[string]any {
	attr := map[string]any{"by": g.by}
	if g.by != byKey && g.by != byUser {
		attr["id"] = g.id
	}
	if g.session != "" {
		attr["session"] = g.session
	}
	return attr
}

// groupOf returns the group that the headers of a request name, if any.
func (r *Recorder) groupOf(ctx context.Context, h http.Header) (group, error) {
	g := groupOfHeaders(h)
	if g.by != byName {
		return g, nil
	}
	var err error
	g.id, err = r.store.Keyed(ctx, byName+"\x00"+h.Get(byName))
	return g, err
}

// ofAttempts completes a group that a field of the body names, from the newest request that is recorded.
func (g *group) ofAttempts(attempts []history.Attempt, system []block) error {
	for i := len(attempts) - 1; i >= 0 && g.id == ""; i-- {
		k, err := recordOf(attempts, i)
		if err != nil {
			return err
		}
		if k == nil || len(k.Parameters) == 0 {
			continue
		}
		r := provider.Request{API: k.API}
		if r.Parameters, err = canon.ParseDocument(k.Parameters); err != nil {
			return err
		}
		*g = groupOfBody(&r, system)
	}
	return nil
}

// groupOfContext reads the group of a context that an earlier recorder made.
func groupOfContext(root *tree.Node, system []block) group {
	attr := root.Header(attrGroup)
	if attr == "" {
		return groupOfSystem(system)
	}
	v := attr.Any()
	text := func(name string) string {
		m, _ := v.Get(name)
		return m.Text
	}
	g := group{by: text("by"), id: text("id"), session: text("session")}
	g.agent = g.session != ""
	return g
}
