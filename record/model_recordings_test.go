package record_test

import (
	"slices"
	"strings"
)

// modelRequest is a request to the model of the rules by which requests are put
// into recordings. Its blocks are texts that begin with the role.
type modelRequest struct {
	group  string // what the client names, "" for nothing
	agent  bool   // by the header of an agent
	tools  []string
	system string
	said   []string
}

// modelRecording is a recording as the model has it.
type modelRecording struct {
	modelRequest          // the last one
	answer       []string // to it
	beside       int      // the recording that it was asked beside of, -1 for none
}

// modelRecordings puts requests into recordings as docs/wire.md says, by comparing lists.
type modelRecordings struct {
	recordings []*modelRecording
	last       map[string]int // the recording of the last request of a group
}

func (m *modelRecordings) key(r *modelRequest) string {
	if r.group != "" {
		return r.group
	}
	return "system " + r.system
}

func firstPart(list, with []string) bool {
	return len(list) >= len(with) && strings.Join(list[:len(with)], "\n") == strings.Join(with, "\n")
}

func (l *modelRecording) all() []string { return slices.Concat(l.said, l.answer) }

// common counts the blocks that a request begins with as the recording has them.
func (l *modelRecording) common(r *modelRequest) (n int) {
	for n = len(l.all()); !firstPart(r.said, l.all()[:n]); n-- {
	}
	return n
}

func (l *modelRecording) alike(r *modelRequest) bool {
	if len(l.tools) > 0 && len(r.tools) > 0 {
		shared := 0
		for _, name := range l.tools {
			if slices.Contains(r.tools, name) {
				shared++
			}
		}
		return shared*2 >= len(l.tools) && shared*2 >= len(r.tools)
	}
	if r.agent && (len(l.tools) > 0 || len(r.tools) > 0) {
		return false
	}
	return l.system == r.system
}

func (l *modelRecording) asksAside(r *modelRequest) bool {
	if !r.agent || !firstPart(r.said, l.said) {
		return false
	}
	if len(l.tools) > 0 && len(r.tools) == 0 {
		return true
	}
	rest := r.said[len(l.said):]
	return len(rest) > 0 && !strings.HasPrefix(rest[0], "assistant")
}

// repeatsLastBlockAgain reports whether the last block that was sent comes again behind
// what changed, in front of something of the answer where all before it changed.
func (l *modelRecording) repeatsLastBlockAgain(r *modelRequest) bool {
	n := l.common(r)
	for i, block := range r.said {
		if i < n || block != l.said[len(l.said)-1] {
			continue
		}
		if n > 0 {
			return true
		}
		for _, later := range r.said[i+1:] {
			if slices.Contains(l.answer, later) {
				return true
			}
		}
		return false
	}
	return false
}

func (m *modelRecordings) rewrites(at int, r *modelRequest) bool {
	l := m.recordings[at]
	last, known := m.last[m.key(r)]
	ofLast := known && (last == at || m.recordings[last].beside == at)
	turns := strings.Contains("\n"+strings.Join(l.said, "\n"), "\nassistant")
	if ofLast && (last != at || turns) {
		for _, block := range r.said[l.common(r):] {
			for _, said := range m.recordings[last].answer {
				_, text, _ := strings.Cut(said, " ")
				if strings.HasPrefix(block, "user") && strings.Contains(block, text) {
					return true
				}
			}
		}
	}
	if r.agent && ofLast && last != at {
		return true
	}
	if l.repeatsLastBlockAgain(r) {
		return true
	}
	n := l.common(r)
	if n == 0 || n == len(r.said) {
		return false
	}
	role, _, _ := strings.Cut(l.all()[n], " ")
	return !strings.HasPrefix(r.said[n], role) || role != "user" && role != "assistant"
}

// put puts a request with its answer into a recording and returns its number.
func (m *modelRecordings) put(r modelRequest, answer string) int {
	at, forked, beside := m.find(&r), false, -1
	if at < 0 {
		at, forked, beside = m.findOrigin(&r)
	} else if l := m.recordings[at]; l.common(&r) == len(l.said) && len(r.said) > len(l.said) { // it lacks the answer
		if further := m.branchesOff(&r, len(l.said)); further >= 0 {
			at, forked = further, true
		}
	}
	if at < 0 || forked {
		m.recordings = append(m.recordings, &modelRecording{beside: beside})
		at = len(m.recordings) - 1
	}
	m.recordings[at].modelRequest, m.recordings[at].answer = r, []string{answer}
	m.last[m.key(&r)] = at
	return at
}

// find finds the recording that goes on, -1 for none.
func (m *modelRecordings) find(r *modelRequest) int {
	best, most := -1, -1
	for pass := range 2 {
		for i, l := range m.recordings {
			n := l.common(r)
			own := m.key(&l.modelRequest) == m.key(r)
			fits := own && !l.asksAside(r) && n >= len(l.said) && (n > len(l.said) || l.alike(r))
			if pass == 1 {
				fits = !own && l.group == "" && r.group == "" && n > len(l.said)
			}
			if fits && n >= most {
				best, most = i, n
			}
		}
		if best >= 0 {
			return best
		}
	}
	return -1
}

// findOrigin finds the recording that a request rewrites or branches off from.
func (m *modelRecordings) findOrigin(r *modelRequest) (at int, forked bool, beside int) {
	at, most := -1, 0
	for i, l := range m.recordings { // what it asks beside
		if m.key(&l.modelRequest) == m.key(r) && l.asksAside(r) && l.common(r) > most {
			at, most = i, l.common(r)
		}
	}
	if at >= 0 {
		return at, true, at
	}
	most = -1
	for i, l := range m.recordings { // what it rewrites
		n := l.common(r)
		if m.key(&l.modelRequest) != m.key(r) || l.beside >= 0 || !l.alike(r) || !m.rewrites(i, r) {
			continue
		}
		last, known := m.last[m.key(r)]
		if n > most || n == most && known && (last == i || m.recordings[last].beside == i) {
			at, most = i, n
		}
	}
	if at >= 0 {
		return at, false, -1
	}
	return m.branchesOff(r, 0), true, -1
}

// branchesOff finds the recording of which a request repeats most, and more than so many blocks, -1 for none.
func (m *modelRecordings) branchesOff(r *modelRequest, most int) int {
	at := -1
	for i, l := range m.recordings {
		if m.key(&l.modelRequest) == m.key(r) && l.beside < 0 && l.alike(r) && l.common(r) > most {
			at, most = i, l.common(r)
		}
	}
	return at
}
