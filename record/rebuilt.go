package record

import (
	"context"
	"encoding/json"
	"io"
	"math"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/tree"
)

// rebuiltCall is the last call of a context whose requests were rebuilt. Such a request has what its snapshot has and
// nothing beside it, so that calls are compared by their snapshots, each at the cost of what is new in it.
type rebuiltCall struct {
	thread *tree.Tree // nil before the first call
	api    provider.API
	model  string
}

// beforeFrame reads from the record of a request what stands before the frame of the request: its API, the id of a past
// call, whether it was erased, and the report of the provider about the answer. The frame is as long as the request.
func beforeFrame(packed string) (*storedRequest, error) {
	k := &storedRequest{}
	err := history.ReadRequest(packed, func(r io.Reader) error {
		d := json.NewDecoder(r)
		if _, err := d.Token(); err != nil {
			return err
		}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return err
			}
			var into any = &json.RawMessage{}
			switch name {
			case "about":
				into = &k.About
			case "api":
				into = &k.API
			case "call":
				into = &k.Call
			case "compacted":
				into = &k.Compacted
			case "erased":
				into = &k.Erased
			case "erased_call":
				into = &k.ErasedCall
			case "frame", "same":
				return nil
			}
			if err := d.Decode(into); err != nil {
				return err
			}
		}
		return nil
	})
	return k, err
}

// reportRebuilt reports on the request of a call of a context whose requests were rebuilt.
func (w *follower) reportRebuilt(ctx context.Context, p *inspect.CallPrefix, k *storedRequest, about canon.Any) error {
	p.Seen = w.answers.seen(&provider.Request{API: k.API}, about)
	g, before := rebuiltCall{api: k.API, model: p.Model}, &w.grown
	if k.Erased {
		p.Problem, w.grown = erased(p.Attempt).Error(), rebuiltCall{}
		return nil
	}
	s, err := w.snapshot(p.Cycle, true)
	if err != nil {
		return err
	}
	g.thread = tree.Of(s)
	p.Blocks, _ = g.thread.ThreadSize()
	common := 0
	if before.thread != nil && before.api == k.API {
		if common, err = tree.CommonBlocks(ctx, before.thread, g.thread); err != nil {
			return err
		}
	}
	if before.thread != nil && before.api == k.API {
		err = w.compareGrown(p, before, &g, common, k.Compacted)
	}
	w.grown = g
	return err
}

// compareGrown fills in how much of the call before a call repeats. Both begin with common equal blocks. compacted says
// that the log has a compaction between the calls.
func (w *follower) compareGrown(p *inspect.CallPrefix, before, now *rebuiltCall, common int, compacted bool) error {
	shared := &inspect.CallShared{Blocks: common}
	shared.OfBlocks, _ = before.thread.ThreadSize()
	forgotten, err := forgottenBy(before, now, common)
	if err != nil {
		return err
	}
	cut := &inspect.Cut{}
	switch {
	case before.model != now.model:
		shared.Blocks, cut.Cause, cut.Names = 0, string(provider.CauseModel), []string{before.model, now.model}
	case forgotten >= 0:
		shared.Blocks, cut.Cause = forgotten, string(provider.CauseThinking)
	case common == shared.OfBlocks:
		cut = nil
	default:
		cause, err := changeAt(before.thread, now.thread, common)
		if err != nil {
			return err
		}
		cut.Cause = causeOf(cause, compacted)
	}
	if shared.OfBytes, err = before.thread.OpenPrefix(shared.OfBlocks); err != nil {
		return err
	}
	if shared.Bytes, err = before.thread.OpenPrefix(shared.Blocks); err != nil {
		return err
	}
	if p.Shared, p.Cut = shared, cut; cut != nil && cut.Cause != string(provider.CauseModel) {
		n, _, err := before.thread.BlockAt(shared.Blocks)
		if err != nil || n == nil {
			return err
		}
		cut.Node = n.ID
	}
	return nil
}

// forgottenBy returns the place of the first block of reasoning that a model forgets because a call has a new question
// of the user: those behind the last question of the call before. It returns -1 if the call asks nothing, or the model
// forgets nothing. Cost: that of the blocks behind both questions.
func forgottenBy(before, now *rebuiltCall, common int) (int, error) {
	if !provider.CacheRulesOf(now.api).ForgetsThinking(now.model) {
		return -1, nil
	}
	asks := func(n *tree.Node, region tree.Class) bool { return n.Kind == "text" && n.RoleIn(region) == "user" }
	asked := false
	for b, err := range now.thread.Blocks(common) {
		if err != nil {
			return -1, err
		}
		if asked = asks(b.Node(), b.Region); asked {
			break
		}
	}
	first, at := -1, 0
	if asked {
		at, _ = before.thread.ThreadSize()
	}
	for at--; at >= 0; at-- {
		n, region, err := before.thread.BlockAt(at)
		if err != nil || asks(n, region) {
			return first, err
		}
		if n.Kind == "thinking" && at < common {
			first = at
		}
	}
	return first, nil
}

// causeOf names what changed. Where the log says that the agent compacted the conversation, that is why its blocks and
// its system prompt are others, however many stay.
func causeOf(seen provider.Cause, compacted bool) string {
	if compacted && (seen == provider.CauseBlock || seen == provider.CauseSystem) {
		seen = provider.CauseCompaction
	}
	return string(seen)
}

// changeAt says what differs from the n-th block of two threads on. Cost: that of finding the two blocks, unless the newer
// conversation has fewer blocks: then both threads, because it may have been compacted.
func changeAt(older, newer *tree.Tree, n int) (provider.Cause, error) {
	said := func(t *tree.Tree) int {
		all, _ := t.ThreadSize()
		return all - t.Region(tree.Sys).Summary().Blocks
	}
	from, most := 0, math.MaxInt
	if said(newer) >= said(older) {
		from, most = n, 1
	}
	var rest [2]provider.Prompt
	for i, t := range []*tree.Tree{older, newer} {
		for b, err := range t.Blocks(from) {
			if err != nil {
				return "", err
			}
			section := provider.Conversation
			if b.Region == tree.Sys {
				if section = provider.System; b.Node().Kind == "tool" {
					section = provider.Tools
				}
			}
			if rest[i].Add(section, b.Node().Kind, b.Node().Hash); len(rest[i].Blocks) == most {
				break
			}
		}
	}
	return provider.ChangeAt(&rest[0], &rest[1], n-from), nil
}
