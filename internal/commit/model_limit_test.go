package commit_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/lifecycle"
)

// modelLimit is one number of a policy.
type modelLimit struct {
	unit string
	max  int
	of   lifecycle.Part
}

func limitsOf(p lifecycle.Policy) (list []modelLimit) {
	whole := lifecycle.Part{MaxTokens: p.MaxTokens, MaxBytes: p.MaxBytes, MaxNodes: p.MaxNodes, MaxTurns: p.MaxTurns}
	for _, part := range append([]lifecycle.Part{whole}, p.Parts...) {
		for _, l := range []modelLimit{{"tokens", part.MaxTokens, part}, {"bytes", part.MaxBytes, part},
			{"nodes", part.MaxNodes, part}, {"turns", part.MaxTurns, part}} {
			if l.max > 0 {
				list = append(list, l)
			}
		}
	}
	return list
}

func (l modelLimit) whole() bool { return l.of.Region+l.of.Kind+l.of.Tag == "" }

func (l modelLimit) String() string {
	s := fmt.Sprintf("max_%s %d", l.unit, l.max)
	if l.of.Region != "" {
		s += " in " + l.of.Region
	}
	if l.of.Kind != "" {
		s += " of kind " + l.of.Kind
	}
	if l.of.Tag != "" {
		s += " with tag " + l.of.Tag
	}
	return s
}

// object is a block as the canonical thread has it. What is drawn needs no
// escapes but those of strconv.
func (r *model) object(id string) string {
	i := r.modelTree[id]
	role := i.role
	switch {
	case role == "" && r.region(id) == "^sys":
		role = "system"
	case role == "":
		role = "user"
	}
	s := `{"id":` + strconv.Quote(id) + `,"role":` + strconv.Quote(role)
	if i.kind != "" {
		s += `,"kind":` + strconv.Quote(i.kind)
	}
	return s + `,"content":` + strconv.Quote(i.text) + `}`
}

func (r *model) blocks() []string {
	return r.list(func(i *modelNode) bool { return i.class == "block" })
}

func (r *model) thread() string {
	var objects []string
	for _, id := range r.blocks() {
		objects = append(objects, r.object(id))
	}
	return "[" + strings.Join(objects, ",") + "]"
}

// tokens: a word is one.
func (r *model) tokens() (n int) {
	for _, id := range r.blocks() {
		n += len(strings.Fields(r.modelTree[id].text))
	}
	return n
}

// weight returns how much a node counts for a limit.
func (r *model) weight(l modelLimit, id string) int {
	i, region := r.modelTree[id], r.region(id)
	in := l.of.Region == "" || l.of.Region == region || l.of.Region == "^seq" && region == "^ah"
	if !in || l.of.Kind != "" && i.kind != l.of.Kind || l.of.Tag != "" && !slices.Contains(i.tags, l.of.Tag) {
		return 0
	}
	switch {
	case l.unit == "tokens" && i.class == "block":
		return len(strings.Fields(i.text))
	case l.unit == "bytes" && i.class == "block":
		return len(r.object(id)) + 1
	case l.unit == "nodes" && (i.class == "block" || i.class == "container"), l.unit == "turns" && i.class == "turn":
		return 1
	}
	return 0
}

// use returns how much counts for a limit in the next snapshot: of bytes of the whole
// the thread itself, else the sum over the nodes, with the turn that ^ah becomes
// and the core that it gets.
func (r *model) use(l modelLimit) (n int) {
	if l.unit == "bytes" && l.whole() {
		return len(r.thread())
	}
	for id := range r.modelTree {
		n += r.weight(l, id)
	}
	if l.of.Kind+l.of.Tag == "" && l.of.Region != "^sys" {
		hasCore := len(r.list(func(i *modelNode) bool { return r.core(i.id) && r.modelTree[i.parent].class == "^ah" })) > 0
		if l.unit == "turns" || l.unit == "nodes" && !hasCore {
			n++
		}
	}
	return n
}

func (r *model) exceeded(limits []modelLimit) (list []modelLimit) {
	for _, l := range limits {
		if r.use(l) > l.max {
			list = append(list, l)
		}
	}
	return list
}

// missed says which limits are exceeded after all.
func (r *model) missed(limits []modelLimit) string {
	var list []string
	for _, l := range r.exceeded(limits) {
		list = append(list, fmt.Sprintf("%s is exceeded by %d", l, r.use(l)-l.max))
	}
	return strings.Join(list, "; ")
}
