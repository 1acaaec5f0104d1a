package tree

import (
	"cmp"
	"slices"

	"github.com/contexttree/pact/fault"
)

// AddResult adds the result of a call to the active head, as pact.Batch.AddResult says.
func (x *Editor) AddResult(call string, s Spec) (id string, err error) {
	path, err := x.Tree().Path(call)
	if err != nil {
		return "", err
	}
	if path == nil {
		return "", NoNode(call, "in the working state")
	}
	e := path[len(path)-1]
	if e.Node().Kind != "call" || e.Class() != Block {
		return "", fault.OnNode(fault.PlacementInvalid, call, "the node is not a call, which is a block of kind call",
			"name a call, or add the result with Add and refs")
	}
	s.Role, s.Kind = cmp.Or(s.Role, "tool"), cmp.Or(s.Kind, "result")
	if s.Offset == 0 {
		s.Offset = offsetAfter(path)
	}
	if !slices.Contains(s.Refs, call) {
		s.Refs = append(slices.Clone(s.Refs), call)
	}
	if id, err = x.Add(Head.String(), s); err != nil {
		return "", err
	}
	if earlier, err := x.Earlier(call); earlier || err != nil {
		return id, err
	}
	return id, x.Update(call, map[string]any{"refs": append(slices.Clone(e.Node().Refs), id)})
}

// offsetAfter returns the offset in the active head at which a new block comes after the node at the end of path.
func offsetAfter(path []*Entry) int64 {
	in := path[2:]
	if path[1].Class() == Seq && len(path) > 3 {
		in = path[3:]
	}
	offset := in[0].Node().Offset
	if offset == 0 && len(in) > 1 {
		offset = max(0, in[1].Node().Offset) // a node in a core may have an offset of its own
	}
	return offset
}

// AddEvery adds a new member of a family to the active head if one is due, as pact.Batch.AddEvery says.
func (x *Editor) AddEvery(every int64, s Spec) (id string, added bool, err error) {
	switch {
	case every < 1:
		return "", false, fault.New(fault.DocumentInvalid, "the cadence is less than 1 cycle", "write 1 for every cycle")
	case s.Key == "":
		return "", false, fault.New(fault.DocumentInvalid, "the node has a cadence but no key", "give it a key")
	case s.TTL != nil && *s.TTL < every:
		return "", false, fault.New(fault.DocumentInvalid, "the node would expire before the next one is due",
			"make the ttl at least the cadence, or leave it out")
	}
	newest, err := x.Newest(s.Key)
	if err != nil {
		return "", false, err
	}
	if newest != nil {
		path, err := x.Tree().Path(newest.ID)
		if err != nil || x.Cycle-newest.Cycle < every || path[1].Class() == Head {
			return newest.ID, false, err
		}
	}
	id, err = x.Add(Head.String(), s)
	return id, err == nil, err
}
