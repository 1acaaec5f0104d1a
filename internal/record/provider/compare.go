package provider

import (
	"crypto/sha256"
	"slices"
)

// Cause says why a shared prefix ends.
type Cause string

// The causes, in the order of the prefix.
const (
	CauseModel      Cause = "model"
	CauseParameters Cause = "parameters"
	CauseTools      Cause = "tools"
	CauseSystem     Cause = "system"
	CauseBlock      Cause = "block" // a block of the conversation
	// CauseCompaction is the agent's: of the conversation it leaves out at least half of the blocks at once.
	CauseCompaction Cause = "compaction"
	CauseThinking   Cause = "thinking" // the provider removed it: the turn that it belongs to is over
)

// Shared measures how much of the previous request a request repeats, from the front.
type Shared struct {
	Blocks   int  // blocks of the newer request within the provider's prefix of the older one
	Of       int  // blocks of the older one
	Complete bool // the newer request repeats all of them
	// Cause says what ends the prefix, "" if Complete. Names are the parameters
	// or the tools that differ; for a model, the old and the new one.
	Cause     Cause
	Names     []string
	Reasoning int // blocks of reasoning in the newer request after the end of the prefix
	// ApartChanged says that a block differs which the provider removes before
	// it caches. It ends no prefix here, but may on another server of the same
	// API.
	ApartChanged bool
}

// Compare says what a request repeats of the previous one. Cost: linear in the blocks that are not in the same array.
func (rules *CacheRules) Compare(older, newer *Prompt) Shared {
	s := Shared{Of: len(older.Blocks)}
	s.compareBlocks(rules, older, newer)
	byProvider := s.Cause == CauseBlock && s.Blocks < len(newer.Blocks) && newer.Blocks[s.Blocks].Cleared
	if !s.Complete && !byProvider {
		s.Reasoning = newer.reasoning(s.Blocks)
	}
	return s
}

func (s *Shared) compareBlocks(rules *CacheRules, older, newer *Prompt) {
	n := shared(older.Blocks, newer.Blocks)
	from := n
	for n < len(older.Blocks) && n < len(newer.Blocks) && equalBlocks(&older.Blocks[n], &newer.Blocks[n]) {
		s.ApartChanged = s.ApartChanged || older.Blocks[n].Section == System &&
			older.Blocks[n].hash != newer.Blocks[n].hash
		n++
	}
	s.Blocks = n
	Looks.Add(int64(n - from))
	if n < len(older.Blocks) {
		s.Cause, s.Names = causeAt(older, newer, n)
	}
	s.settings(rules, older, newer)
	if older.Model != newer.Model {
		s.Blocks, s.Cause, s.Names = 0, CauseModel, []string{older.Model, newer.Model}
	}
	s.Complete = s.Cause == ""
	if !s.Complete && s.Cause != CauseModel && s.Blocks == 0 {
		s.ApartChanged = false // the prefix ends before that block
	}
}

// settings also compares the parameters: among those that differ it reports the
// ones that end the prefix first.
func (s *Shared) settings(rules *CacheRules, older, newer *Prompt) {
	for i := range rules.Settings {
		if older.Settings[i] == newer.Settings[i] {
			continue
		}
		at := min(older.begin(rules.Settings[i].From), newer.begin(rules.Settings[i].From))
		switch {
		case at > s.Blocks || at == s.Of && s.Cause == "":
			continue // it takes effect after the end, or nothing had been cached for it to end
		case at < s.Blocks || s.Cause != CauseParameters:
			s.Blocks, s.Cause, s.Names = at, CauseParameters, nil
		}
		s.Names = append(s.Names, rules.Settings[i].Name())
	}
}

// equalBlocks reports whether two blocks are equal to the provider.
func equalBlocks(a, b *Block) bool {
	if a.Section != b.Section || a.Stripped != b.Stripped {
		return false
	}
	return a.hash == b.hash || a.Stripped
}

// causeAt says what differs from the n-th block on of two prompts that begin with n equal blocks. For tools it names all that
// differ; if only their order changed, all that moved. Cost: linear in the blocks.
func causeAt(older, newer *Prompt, n int) (Cause, []string) {
	section := older.Blocks[n].Section
	if n < len(newer.Blocks) && newer.Blocks[n].Section < section {
		section = newer.Blocks[n].Section
	}
	switch {
	case section == Tools:
		return CauseTools, changedTools(older.tools(), newer.tools())
	case section == Conversation && n < len(newer.Blocks) && newer.Blocks[n].Stripped && newer.Blocks[n].hash == older.Blocks[n].hash:
		return CauseThinking, nil
	case compacted(older, newer, n):
		return CauseCompaction, nil
	case section == System:
		return CauseSystem, nil
	}
	return CauseBlock, nil
}

// compacted reports whether a request leaves out at least half of the blocks of a conversation, and at least two,
// and has fewer; both begin with n equal blocks.
func compacted(older, newer *Prompt, n int) bool {
	old, now := older.Blocks[older.begin(Conversation):], newer.Blocks[newer.begin(Conversation):]
	if len(now) >= len(old) {
		return false
	}
	stays := map[[sha256.Size]byte]int{}
	for i := n; i < len(newer.Blocks); i++ {
		stays[newer.Blocks[i].hash]++
	}
	gone := 0
	for i := max(n, older.begin(Conversation)); i < len(older.Blocks); i++ {
		if stays[older.Blocks[i].hash]--; stays[older.Blocks[i].hash] < 0 {
			gone++
		}
	}
	return gone > 1 && 2*gone >= len(old)
}

func (p *Prompt) tools() []Block { return p.Blocks[:p.begin(System)] }

// changedTools names the tools that were added, removed or changed; if there
// are none, the tools that moved.
func changedTools(older, newer []Block) (names []string) {
	add := func(b *Block) {
		name := b.Name
		if name == "" {
			name = b.Kind
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	in := func(list []Block, b *Block) bool {
		return slices.ContainsFunc(list, func(x Block) bool { return x.hash == b.hash })
	}
	for i := range older {
		if !in(newer, &older[i]) {
			add(&older[i])
		}
	}
	for i := range newer {
		if !in(older, &newer[i]) {
			add(&newer[i])
		}
	}
	moved := len(names) == 0
	for i := 0; moved && i < min(len(older), len(newer)); i++ {
		if older[i].hash != newer[i].hash {
			add(&newer[i])
		}
	}
	return names
}
