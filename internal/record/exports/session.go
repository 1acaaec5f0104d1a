package exports

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/record"
)

// Session is a session with which an agent goes on.
type Session struct {
	ID      string // by which the agent resumes it
	Path    string // of the file, where the agent looks for it; empty if it imports any file
	Command string // that resumes it
	Lost    []Lost
}

// session writes the thread of a snapshot as a session of an agent.
type session struct {
	losses
	id     string
	model  string // of the last call
	fields canon.Any
	at     int64 // when the newest block came
	system int   // texts of the system prompt
	lines  int
	out    []byte
}

// newSession reads the thread of a snapshot, in a form of [record.Thread]. Ids come of the name of the context and of
// the snapshot, times of its blocks: the same snapshot is the same session.
func newSession(ctx context.Context, c *pact.Context, s *pact.Snapshot, form string) (*session, error) {
	text, left, err := record.Thread(ctx, s, form)
	if err != nil {
		return nil, err
	}
	made := &session{model: record.ModelOf(s)}
	if made.fields, err = canon.ParseDocument(text); err != nil {
		return nil, err
	}
	name := ""
	if c != nil {
		name = c.Info().Name
		attempts, err := c.Attempts(ctx, math.MinInt64, s.Cycle())
		if err != nil {
			return nil, err
		}
		for _, a := range attempts {
			if a.Model != "" {
				made.model = a.Model
			}
		}
	}
	digest := tree.Of(s).Digest()
	made.id = uuid(name + "\x00" + string(digest[:]))
	made.add(left, "part that the provider of the agent has no form for")
	missing, err := record.LeftOut(ctx, s)
	if err != nil {
		return nil, err
	}
	made.add(len(missing), "part of a pair of call and result that lacks the other")
	tools, _ := made.fields.Get("tools")
	made.add(len(tools.Elems), "tool of the thread, as the agent sends its own")
	return made, made.blocks(tree.Asking(ctx, tree.AskerOf(s)), tree.Of(s), provider.APINamed(form))
}

// blocks looks at what the blocks have beside the fields of a request to an API. E_DOCUMENT_INVALID for a thread without
// a message.
func (s *session) blocks(ctx context.Context, t *tree.Tree, to provider.API) error {
	failed := 0
	for b, err := range t.Blocks(0) {
		if err != nil {
			return err
		}
		p, err := partOf(ctx, t, b.Node(), b.Region)
		if err != nil {
			return err
		}
		if s.at = max(s.at, p.node.CreatedNS); p.Section == provider.System && !p.field {
			s.system++
		}
		if p.Kind == toolcall.Call && to == provider.Messages && p.from != to && p.Content.Kind != canon.KindObject {
			s.add(1, notAnObject)
		}
		if p.Kind != toolcall.Result {
			continue
		}
		if p.Failed {
			failed++
		}
		if _, inJSON := provider.ResultAs(p.from, to, p.raw); inJSON {
			s.add(1, "result in JSON, written as a text")
		}
	}
	said := false
	list, _ := s.fields.Get(provider.ListOf(to))
	for _, m := range list.Elems {
		said = said || !ofSystem(m)
		content, _ := m.Get("content")
		for _, part := range content.Elems {
			if mark, _ := part.Get("is_error"); mark.Text == string(canon.True) {
				failed--
			}
		}
	}
	s.add(max(0, failed), "mark that a call failed")
	if !said {
		return fault.New(fault.DocumentInvalid, "the thread has no message, and no agent goes on with such a session",
			"name a snapshot with one")
	}
	return nil
}

// ofSystem reports whether a message or an item is one of the system.
func ofSystem(item canon.Any) bool {
	role, _ := item.Get("role")
	return role.Text == "system" || role.Text == "developer"
}

// uuid makes the id of a text, of the version for ids that a program makes in its own way (RFC 9562 §5.8).
func uuid(of string) string {
	sum := sha256.Sum256([]byte(of))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	text := hex.EncodeToString(sum[:16])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// time returns the time of a line: successive ones are a millisecond apart.
func (s *session) time() string {
	s.lines++
	const form = "2006-01-02T15:04:05.000Z"
	return time.Unix(0, s.at).Add(time.Duration(s.lines) * time.Millisecond).UTC().Format(form)
}

func (s *session) line(v canon.Any) { s.out = append(v.AppendTo(s.out), '\n') }

// end writes the file. never are those things that the form never has.
func (s *session) end(w io.Writer, path, command, never string) (*Session, error) {
	if s.at < int64(24*time.Hour) {
		never += ", and the thread has no times: the session is of 1970-01-01"
	}
	s.list = append(s.list, Lost{What: never})
	_, err := w.Write(s.out)
	return &Session{s.id, path, command + " " + s.id, s.list}, err
}
