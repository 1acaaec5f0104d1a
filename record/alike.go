package record

import (
	"slices"
	"sort"
)

// alikeRecording is a recording that begins as a request does, and in how many blocks.
type alikeRecording struct {
	*recording
	shared int
}

// mostLike returns those of some recordings that share most with a request, of which chains are the hashes of all
// blocks up to each, the one that shares most first.
func mostLike(of []*recording, chains []shortHash) []alikeRecording {
	of = of[max(0, len(of)-mostBeginning):]
	list := make([]alikeRecording, len(of))
	for i, l := range of {
		list[i] = alikeRecording{l, sort.Search(min(len(chains), len(l.chains)), func(n int) bool { return l.chains[n] != chains[n] })}
	}
	slices.SortStableFunc(list, func(a, b alikeRecording) int { return b.shared - a.shared })
	return list[:min(len(list), mostAlike)]
}

// comparable leaves out those recordings that choose would not take after it had opened and read them: it takes the one
// of its group that shares most and has the same system prompt, or one of which the request repeats all, or a sign that
// it was rewritten. An agent, and a summary that is asked for, can belong to any. list has the one that shares most
// first.
func (q *request) comparable(list []alikeRecording) (left []*recording) {
	most, prompt := 0, chainOf(q.system)
	if !q.group.agent && !mentions(q.system, "summar") {
		if i := slices.IndexFunc(list, func(l alikeRecording) bool {
			return l.beside == nil && l.group.id == q.group.id && l.prompt == prompt
		}); i >= 0 {
			most = list[i].shared
		}
	}
	for _, l := range list {
		if n := l.shared; n >= most || n >= l.asking || l.summary != nil || l.signOf(q, n) != "" {
			left = append(left, l.recording)
		}
	}
	return left
}

// leaveOut is comparable. Tests change it.
var leaveOut = (*request).comparable

// speaker says whose message a block is part of.
type speaker byte

const (
	nobody speaker = iota
	user
	model
)

func speakerOf(b *block) speaker {
	switch {
	case b.details == nil || b.kind == "thinking":
	case b.role == "user":
		return user
	case b.role == "assistant":
		return model
	}
	return nobody
}
