package command

import (
	"strconv"

	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
)

// Repeats returns cells of a table that lists calls: how many blocks and bytes a call repeats of the call before, their
// share, and what ended that or broke. They are empty for the first call.
func (a *App) Repeats(s *view.Step) []string {
	p := s.Shared
	if p == nil {
		return make([]string, 4)
	}
	blocks, of, bytes := p.Blocks, p.OfBlocks, p.Bytes
	if s.Call != nil && s.Call.Shared != nil {
		blocks, of, bytes = s.Call.Shared.Blocks, s.Call.Shared.OfBlocks, s.Call.Shared.Bytes
	}
	share, _, complete := view.Reused(&s.Prefix)
	where := a.Paint.Good("complete")
	switch b := s.Broke; {
	case b != nil:
		where = a.Paint.Bad(b.Why + " (" + string(b.Known) + ")")
	case !complete: // and the provider counted no break
		where = a.Paint.Changed(view.Why(&s.Prefix))
	}
	return screen.Row(strconv.Itoa(blocks)+"/"+strconv.Itoa(of), bytes, view.Percent(share), screen.Painted(where))
}
