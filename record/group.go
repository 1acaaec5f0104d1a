package record

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/contexttree/pact/internal/api"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/tree"
)

// group is whose calls a call belongs to: the conversations of one group are
// those that a request can go on with. Values of headers are hashed, since they
// are not kept.
type group struct {
	by      string // the header or field that it comes from, or bySystem
	id      string // of the group, "" for none
	session string // of the groups that the agents of one session have; "" without one
	agent   bool   // an agent names its session, and its sub-agents do
	sub     bool   // the call is of a sub-agent, which says so
	window  string // what Codex counts up when it compacts a conversation
}

// bySystem is what a group comes from where nothing names one.
const bySystem = "the system prompt"

// sessions has the headers by which agents name a session and, within it, a
// thread or a sub-agent, as they were seen on the wire.
var sessions = []struct{ session, part string }{
	{"X-Claude-Code-Session-Id", "X-Claude-Code-Agent-Id"},
	{"Session-Id", "Thread-Id"}, // Codex
	{"X-Session-Id", ""},        // opencode
}

// groupOfHeaders returns the group that the headers of a request name, if any.
func groupOfHeaders(h http.Header) group {
	if name := h.Get("X-Pact-Context"); name != "" {
		return group{by: "X-Pact-Context", id: hashed("X-Pact-Context", name)}
	}
	for _, s := range sessions {
		session, part := h.Get(s.session), ""
		if s.part != "" {
			part = h.Get(s.part)
		}
		if session+part == "" {
			continue
		}
		g := group{by: s.session, id: hashed(s.session, session, part), agent: true, window: h.Get("X-Codex-Window-Id")}
		if session != "" {
			g.session = hashed(s.session, session)
		} else {
			g.by = s.part
		}
		g.sub = s.part == "X-Claude-Code-Agent-Id" && part != ""
		return g
	}
	return group{}
}

// groupOfBody returns the group of a request whose headers name none.
func groupOfBody(r *api.Request, system []block) group {
	metadata, _ := r.Parameters.Get("metadata")
	for _, f := range []struct {
		of    canon.Any
		field string
		by    string
	}{
		{r.Parameters, "prompt_cache_key", "prompt_cache_key"},
		{metadata, "user_id", "metadata.user_id"},
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
		if system[i].Kind != "tool" {
			texts = append(texts, string(system[i].key[:]))
		}
	}
	return group{by: bySystem, id: hashed(texts...)}
}

// hashed is a short hash of texts.
func hashed(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// attr is the group as an attribute of the root, from which a later recorder
// knows whose calls a context has.
func (g *group) attr() map[string]any {
	attr := map[string]any{"by": g.by, "id": g.id}
	if g.session != "" {
		attr["session"] = g.session
	}
	return attr
}

// groupOfContext is the group of a context that an earlier recorder left.
func groupOfContext(root *tree.Node, system []block) group {
	attr := root.Header(attrGroup)
	if attr == "" {
		return groupOfSystem(system)
	}
	v := canon.Value(attr).Any()
	text := func(name string) string {
		m, _ := v.Get(name)
		return m.Text
	}
	g := group{by: text("by"), id: text("id"), session: text("session")}
	g.agent = g.session != ""
	return g
}
