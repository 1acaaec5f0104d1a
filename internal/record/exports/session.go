package exports

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/record"
)

// Session is a session with which an agent goes on.
type Session struct {
	ID      string // by which the agent resumes it
	Path    string // of the file, where the agent looks for it
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
		name = c.Name()
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
	for b, err := range tree.Of(s).Blocks(0) {
		if err != nil {
			return nil, err
		}
		made.at = max(made.at, b.Node().CreatedNS)
		if b.Region == tree.Sys && b.Node().Kind != toolcall.Definition {
			made.system++
		}
	}
	made.add(left, "part that the provider of the agent has no form for")
	tools, _ := made.fields.Get("tools")
	made.add(len(tools.Elems), "definition of a tool, as the agent sends its own")
	return made, nil
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

// end writes the file.
func (s *session) end(w io.Writer, path, command string) (*Session, error) {
	_, err := w.Write(s.out)
	return &Session{s.id, path, command + " " + s.id, s.list}, err
}
