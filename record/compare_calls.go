package record

import (
	"context"
	"crypto/sha256"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/tree"
)

// sent is the request of a call.
type sent struct {
	rules  *provider.CacheRules
	model  string
	thread *tree.Tree
	prompt *provider.Prompt // nil if nothing of the request is known but its thread
}

// compare fills in how much of the call before a call repeats; then this is the call before. compacted says that its
// record has a compaction.
func (w *follower) compare(p *inspect.CallPrefix, now *sent, compacted bool) error {
	before := w.before
	if w.before = now; before == nil || before.rules != now.rules {
		return nil
	}
	shared, err := now.repeats(w.ctx, before)
	if err != nil {
		return err
	}
	p.Shared = &inspect.CallShared{Blocks: shared.Blocks, OfBlocks: shared.Of}
	if p.Shared.Bytes, err = now.thread.OpenPrefix(shared.Blocks); err != nil {
		return err
	}
	blocks, _ := before.thread.ThreadSize()
	if p.Shared.OfBytes, err = before.thread.OpenPrefix(blocks); err != nil {
		return err
	}
	p.Attribution = shared.ApartChanged
	if shared.Complete {
		return nil
	}
	p.Cut = &inspect.Cut{Cause: causeOf(shared.Cause, compacted), Names: shared.Names, Reasoning: shared.Reasoning}
	if shared.Cause == provider.CauseModel || shared.Cause == provider.CauseParameters {
		return nil
	}
	for _, of := range []*sent{before, now} {
		n, _, err := of.thread.BlockAt(shared.Blocks)
		if err != nil {
			return err
		}
		if n != nil {
			p.Cut.Node = n.ID
			break
		}
	}
	return nil
}

// repeats compares the prompts of two calls by the rules of their provider. Where only the threads are known, it reads the
// prompts behind the blocks that both begin with, and before these from the question on whose turn the newer one ends.
func (now *sent) repeats(ctx context.Context, before *sent) (provider.Shared, error) {
	if before.prompt != nil && now.prompt != nil {
		return now.rules.Compare(before.prompt, now.prompt), nil
	}
	from := 0 // of another model, and of what may have been compacted, all counts
	if before.model == now.model && before.said() <= now.said() {
		var err error
		if from, err = tree.CommonBlocks(ctx, before.thread, now.thread); err != nil {
			return provider.Shared{}, err
		}
	}
	older, newer, err := promptsFrom(from, before, now)
	if err == nil && newer.Asks() {
		if from, err = before.questionBefore(from); err == nil {
			older, newer, err = promptsFrom(from, before, now)
		}
	}
	if err != nil {
		return provider.Shared{}, err
	}
	s := now.rules.Compare(older, newer)
	if s.Of += from; s.Cause != provider.CauseModel {
		s.Blocks += from
	}
	return s, nil
}

// said returns how many blocks the conversation has.
func (s *sent) said() int {
	all, _ := s.thread.ThreadSize()
	return all - s.thread.Region(tree.Sys).Summary().Blocks
}

func promptsFrom(from int, before, now *sent) (older, newer *provider.Prompt, err error) {
	if older, err = before.promptFrom(from); err == nil {
		newer, err = now.promptFrom(from)
	}
	return older, newer, err
}

// promptFrom reads the prompt of the blocks from one on. Blocks of one side that follow each other are a message. Cost: that
// of these blocks, and of no content.
func (s *sent) promptFrom(from int) (*provider.Prompt, error) {
	var list []provider.Part
	var hashes [][sha256.Size]byte
	message, model := 0, false
	for b, err := range s.thread.Blocks(from) {
		if err != nil {
			return nil, err
		}
		n := b.Node()
		p := partIn(n, b.Region)
		p.Role, p.Message = n.RoleIn(b.Region), -1
		if p.Section == provider.Conversation {
			if by := p.Role == "assistant"; by != model {
				message, model = message+1, by
			}
			p.Message = message
		}
		list, hashes = append(list, p), append(hashes, provider.HashOf(&p, n.Hash))
	}
	return s.rules.ReadParts(list, s.model, hashes), nil
}

// questionBefore returns where the last question of the user begins before a block, that of the first block of the
// conversation without one. Cost: that of the blocks between.
func (s *sent) questionBefore(n int) (int, error) {
	asks, results := false, false
	for ; n > 0; n-- {
		b, region, err := s.thread.BlockAt(n - 1)
		if err != nil || region == tree.Sys {
			return n, err
		}
		if role := b.RoleIn(region); role != "assistant" {
			asks, results = asks || role == "user", results || b.Kind == "result"
			continue
		}
		if asks && !results {
			break
		}
		asks, results = false, false
	}
	return n, nil
}

// causeOf names what changed. Where the log says that the agent compacted the conversation, that is why its blocks and
// its system prompt are others, however many stay.
func causeOf(seen provider.Cause, compacted bool) string {
	if compacted && (seen == provider.CauseBlock || seen == provider.CauseSystem) {
		seen = provider.CauseCompaction
	}
	return string(seen)
}

// CompareAcross reports what the request of a call of one context repeats of that of a call of another, as [Prefixes]
// does for neighbours of one context: the first call of a sub-agent or a fork against one of its parent's. Where no
// attempt of the newer call was recorded it compares the threads. Shared is nil where they cannot be compared: one was
// erased, they went to two APIs, or only one was rebuilt from a log. E_SNAPSHOT_NOT_FOUND and the errors of reading.
// Cost: that of the two requests.
func CompareAcross(ctx context.Context, older *pact.Context, a int64, newer *pact.Context, b int64) (inspect.CallPrefix, error) {
	w := newFollower()
	w.begin(ctx, older)
	rebuilt := w.rebuilt
	if _, err := w.reportOne(a); err != nil {
		return inspect.CallPrefix{}, err
	}
	before := w.before
	w = newFollower()
	if w.begin(ctx, newer); w.rebuilt == rebuilt {
		w.before = before
	}
	p, err := w.reportOne(b)
	if err != nil || p.Attempt != "" {
		return p, err
	}
	was, err := older.At(ctx, pact.Cycle(a))
	if err != nil {
		return p, err
	}
	is, err := newer.At(ctx, pact.Cycle(b))
	if err != nil {
		return p, err
	}
	rules := provider.CacheRulesNamed("other")
	w.before = &sent{rules: rules, thread: tree.Of(was)}
	return p, w.compare(&p, &sent{rules: rules, thread: tree.Of(is)}, false)
}

// reportOne reports on the call of a cycle.
func (w *follower) reportOne(cycle int64) (only inspect.CallPrefix, err error) {
	attempts, err := w.c.Attempts(w.ctx, cycle, cycle)
	if err != nil {
		return only, err
	}
	only.Cycle = cycle
	last := w.c.Info().Cycle
	err = w.walk(attempts, last, func(p inspect.CallPrefix) bool {
		only = p
		return false
	})
	return only, err
}
