package pact_test

import (
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/inspect"
)

// modelPrefix is how many whole objects two threads share, and their bytes in the
// newer.
func modelPrefix(older, newer *modelState) (blocks int, bytes int64) {
	for blocks < len(older.blocks) && blocks < len(newer.blocks) &&
		older.objects[older.blocks[blocks]] == newer.objects[newer.blocks[blocks]] {
		blocks++
	}
	var list []string
	for _, id := range newer.blocks[:blocks] {
		list = append(list, newer.objects[id])
	}
	text := "[" + strings.Join(list, ",")
	if blocks == len(newer.blocks) {
		text += "]"
	}
	if !strings.HasPrefix(newer.thread, text) {
		panic("the prefix of the model is none")
	}
	return blocks, int64(len(text))
}

// modelBreak says what ended a prefix: what removed the block that stood there,
// else what put another before it.
func (s *recordedHistory) modelBreak(t *testing.T, was, now *modelState, p *inspect.SharedPrefix) (diff.Kind, string) {
	t.Helper()
	moved := map[string]bool{}
	r, err := s.context.RichDiff(background, pact.Cycle(was.cycle), pact.Cycle(now.cycle), nil)
	must(t, err)
	for _, m := range r.Moves {
		moved[m.PreviousID], moved[m.NewID] = true, true
	}
	switch {
	case p.Older == p.Newer:
		return diff.ByEdit, p.Older
	case now.objects[p.Older] == "" && s.removed[p.Older].Kind != "":
		return s.removed[p.Older].Kind, p.Older
	case now.objects[p.Older] == "" && moved[p.Older]:
		return diff.ByReordering, p.Older
	case now.objects[p.Older] == "":
		return diff.ByEdit, p.Older
	case was.objects[p.Newer] == "" && moved[p.Newer]:
		return diff.ByReordering, p.Newer
	case was.objects[p.Newer] == "":
		return diff.ByInsertion, p.Newer
	}
	return diff.ByReordering, p.Newer
}
