package document

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// node reads a node and everything below it, in the order of the document
// (docs/decisions).
func (r *reader) node(doc canon.Any, parent int, above tree.Class, depth int) error {
	if doc.Kind != canon.KindObject {
		return r.broken(parent, "a child of the node is not a JSON object")
	}
	if depth >= tree.MaxDepth {
		return fault.New(fault.Limit, "nodes are nested more than "+strconv.Itoa(tree.MaxDepth)+" levels deep",
			"flatten the groups")
	}
	if len(r.nodes) >= tree.MaxNodes {
		return fault.New(fault.Limit, "the document has more than "+strconv.Itoa(tree.MaxNodes)+" nodes", "split it")
	}
	kids, _ := doc.Get("children")
	if kids.Kind != canon.KindArray && kids.Kind != canon.KindAbsent && kids.Kind != canon.KindNull {
		return r.broken(parent, "children is not a list of nodes")
	}
	i := len(r.nodes)
	r.nodes = append(r.nodes, read{parent: parent, children: len(kids.Elems)})
	n := &r.nodes[i]
	n.Index, n.Cycle, n.Expiry = int64(i), r.cycle, tree.Never
	if err := r.headers(n, doc, parent); err != nil {
		return err
	}
	if n.Type == "" {
		n.Type = r.typeByPlace(parent, above, len(kids.Elems) > 0)
	}
	n.class = tree.Root
	if parent >= 0 {
		n.class = tree.ClassOf(n.Type, above, len(kids.Elems) > 0)
	}
	if n.ID == "" {
		if !n.class.Region() {
			return r.broken(parent, "a child of the node has no id")
		}
		name := n.class.String()[1:]
		r.given = idsIn(r.root, name, map[string]bool{})
		n.ID = r.free(name)
	}
	r.ids[n.ID] = true
	class := n.class
	order := kids.Elems
	if class == tree.Seq && untimed(kids.Elems) {
		order = r.untimedTurns(n.ID, kids.Elems)
	}
	below := depth + 1
	if class == tree.Head {
		below++ // sealing turns the head into a turn, one level further down
	}
	for _, k := range order {
		if err := r.node(k, i, class, below); err != nil {
			return err
		}
	}
	return nil
}

// untimedTurns returns turns that have no stamps from old to new, and says how it read several.
func (r *reader) untimedTurns(seq string, listed []canon.Any) []canon.Any {
	how := "oldest first"
	if r.newestFirst {
		how, listed = "newest first, as edition "+string(r.edition)+" does", slices.Clone(listed)
		slices.Reverse(listed)
	}
	if len(listed) > 1 && (r.newestFirst || !r.lenient) { // oldest first is what a query expects
		r.find(fault.DocumentInvalid, seq, "no turn has a created_at_ns; they are read "+how)
	}
	return listed
}

// broken returns the error for a place without an id; it names the parent.
func (r *reader) broken(parent int, message string) error {
	id := ""
	if parent >= 0 {
		id = r.nodes[parent].ID
		message += "; a child of this node is not"
	}
	return fault.OnNode(fault.DocumentInvalid, id, message, "")
}

// untimed reports whether no turn of a list says when it was created.
func untimed(turns []canon.Any) bool {
	for _, t := range turns {
		if at, timed := t.Get("created_at_ns"); timed && at.Kind != canon.KindNull {
			return false
		}
	}
	return true
}

func (r *reader) typeByPlace(parent int, above tree.Class, hasChildren bool) string {
	switch {
	case parent < 0:
		return tree.Root.String()
	case above == tree.Seq:
		return r.traits.TurnType
	case hasChildren:
		return r.traits.ContainerType
	}
	return r.traits.BlockType
}

// free returns an id that no node of the document has, neither one read so far nor a given one.
func (r *reader) free(id string) string {
	base := id
	for n := 2; r.ids[id] || r.given[id]; n++ {
		id = base + "-" + strconv.Itoa(n)
	}
	return id
}

// idsIn adds the ids that begin so of a node and of all below it, or of a list of nodes, to a set.
func idsIn(node canon.Any, begins string, set map[string]bool) map[string]bool {
	if id, _ := node.Get("id"); id.Kind == canon.KindString && strings.HasPrefix(id.Text, begins) {
		set[id.Text] = true
	}
	kids, _ := node.Get("children")
	for _, list := range [...][]canon.Any{node.Elems, kids.Elems} {
		for _, k := range list {
			idsIn(k, begins, set)
		}
	}
	return set
}

// nodesIn returns how many nodes a node and all below it are.
func nodesIn(node canon.Any) int {
	kids, _ := node.Get("children")
	n := 1
	for _, k := range kids.Elems {
		if k.Kind == canon.KindObject {
			n += nodesIn(k)
		}
	}
	return n
}

// headers reads the members of a node below the node with an index, -1 for the root.
func (r *reader) headers(n *read, doc canon.Any, parent int) error {
	n.Bare = r.traits.Bare
	id, _ := doc.Get("id") // first, since errors name it
	if err := r.id(n, id); err != nil {
		return err
	}
	for _, m := range doc.Members {
		read := r.header
		if m.Name == "parent_id" && r.traits.ParentIDs {
			read = r.parentID(parent)
		}
		if err := read(n, m); err != nil {
			return err
		}
	}
	if n.Bare && n.Expiry != tree.Never { // a ttl counts from no cycle before that of the node
		later := max(0, n.Cycle-r.cycle)
		if n.Expiry > tree.MaxInteger-later {
			return ttlTooLarge(n)
		}
		n.Expiry += later
	}
	if n.ForeignISO != "" && !mirrors(n.ForeignISO, n.CreatedNS) {
		r.find(fault.DocumentInvalid, n.ID, "created_at_iso is not the time of created_at_ns, "+tree.ISO(n.CreatedNS)+
			"; both are kept")
	}
	return nil
}

func ttlTooLarge(n *read) error {
	return fault.OnNode(fault.Limit, n.ID, "the ttl is too large", "leave it out for a node that stays")
}

// mirrors reports whether a text names the instant of a stamp, as exactly as it has decimals (02 §3.2.1).
func mirrors(iso string, ns int64) bool {
	at, err := time.Parse(time.RFC3339Nano, iso)
	if err != nil {
		return false
	}
	_, fraction, _ := strings.Cut(iso, ".")
	unit := time.Second
	for range min(9, len(fraction)-len(strings.TrimLeft(fraction, "0123456789"))) {
		unit /= 10
	}
	return at.Equal(time.Unix(ns/1e9, ns%1e9).Truncate(unit))
}

// id reads the id of a node, which may be missing.
func (r *reader) id(n *read, v canon.Any) error {
	switch {
	case v.Kind == canon.KindAbsent || v.Kind == canon.KindNull:
		return nil
	case v.Kind == canon.KindString && len(v.Text) > tree.MaxID:
		return fault.OnNode(fault.Limit, clip(v.Text), "the id has more than "+strconv.Itoa(tree.MaxID)+" bytes",
			"shorten it")
	case v.Kind != canon.KindString || v.Text == "" || !canon.ValidText(v.Text):
		return fault.OnNode(fault.DocumentInvalid, clip(v.Text), "the id is not a string of 1 to "+strconv.Itoa(tree.MaxID)+
			" bytes without lone surrogates", "")
	case v.Text == "." || v.Text == "..":
		return fault.OnNode(fault.DocumentInvalid, v.Text, "no path of an address can hold the id", "give the node another")
	}
	n.ID = strings.Clone(v.Text)
	return nil
}

// header reads one member of a node.
func (r *reader) header(n *read, m canon.Member) (err error) {
	v := m.Value
	switch m.Name {
	case "children", "id":
		return nil
	case "nodeType":
		if v.Kind != canon.KindNull && (v.Kind != canon.KindString || !canon.ValidText(v.Text)) {
			return fault.OnNode(fault.DocumentInvalid, n.ID, "nodeType is not a string", "")
		}
		n.Type = strings.Clone(v.Text)
		if v.Kind == canon.KindNull {
			n.Type = ""
		}
	case "offset":
		n.Offset, err = r.integer(n, m, n.Offset)
	case "priority":
		n.Priority, err = r.integer(n, m, n.Priority)
	case "cycle":
		n.Cycle, err = r.integer(n, m, n.Cycle)
	case "created_at_ns":
		n.CreatedNS, err = r.integer(n, m, n.CreatedNS)
	case "creation_index":
		n.Index, err = r.integer(n, m, n.Index)
	case "ttl":
		ttl, err := r.integer(n, m, -1)
		switch {
		case err != nil:
			return err
		case v.Kind == canon.KindNull:
		case ttl < 0 && r.traits.Bare: // 1.0 03 §3.1
			n.Expiry = r.cycle
			r.find(fault.DocumentInvalid, n.ID, "the ttl is negative; it is read as 0, and the node goes at the next commit")
		case ttl < 0:
			return fault.OnNode(fault.DocumentInvalid, n.ID, "the ttl is negative", "leave it out for a node that stays")
		case ttl > tree.MaxInteger-r.cycle:
			return ttlTooLarge(n)
		default:
			n.Expiry = r.cycle + ttl
		}
	case "created_at_iso":
		if v.Kind != canon.KindNull {
			if v.Kind != canon.KindString {
				return fault.OnNode(fault.DocumentInvalid, n.ID, "created_at_iso is not a string", "")
			}
			n.ForeignISO = strings.Clone(v.Text)
		}
	case "content":
		if v.Kind != canon.KindNull {
			content := v.Value()
			n.Content, err = tree.Hold(content), nested(n, m, content)
		}
	case "content_hash":
		if v.Kind != canon.KindNull {
			n.hash, n.hashed = strings.Clone(v.Text), true
		}
	default:
		value := v.Value() // the elements of a long list may not be read yet
		none := v.Kind == canon.KindNull || value == "[]" && (m.Name == "tags" || m.Name == "refs")
		if !none {
			n.Headers = append(n.Headers, tree.Header{Name: strings.Clone(m.Name), Value: value})
			r.checkOptional(n, m)
			if cycles, ok := value.Int64(); m.Name == "cad" && r.traits.Bare &&
				(!ok || cycles < 1 || cycles > tree.MaxInteger) {
				return r.refuse(fault.PlacementInvalid, n.ID, "the cad is not an integer from 1 to "+
					strconv.FormatInt(tree.MaxInteger, 10), "write 1 for every cycle")
			}
			err = nested(n, m, value)
		}
	}
	return err
}

// nested refuses a value that nests deeper than the same value could elsewhere: a
// document as a whole may nest deeper.
func nested(n *read, m canon.Member, v canon.Value) error {
	if err := v.CheckDepth(); err != nil {
		return &fault.Error{Code: fault.Limit, Node: n.ID, Token: clip(m.Name), Offset: fault.NoOffset,
			Message: "the value of " + clip(m.Name) + " is nested too deep", Remedy: "flatten the value", Err: err}
	}
	return nil
}

// checkOptional reports an optional header whose value has the wrong type. The
// node keeps the value, but nothing interprets it.
func (r *reader) checkOptional(n *read, m canon.Member) {
	want := canon.KindAbsent
	switch m.Name {
	case "role", "kind", "key", "provenance", "mime", "encoding":
		want = canon.KindString
	case "tags", "refs":
		want = canon.KindArray
	case "removable", "pinned":
		want = canon.KindBool
	}
	if want != canon.KindAbsent && m.Value.Kind != want {
		r.find(fault.DocumentInvalid, n.ID, "the header "+m.Name+" has a value of the wrong type and is kept as it is")
	}
}

// integer reads a whole number; null gives the fallback.
func (r *reader) integer(n *read, m canon.Member, fallback int64) (int64, error) {
	if m.Value.Kind == canon.KindNull {
		return fallback, nil
	}
	i, ok := m.Value.Value().Int64()
	if !ok {
		return 0, &fault.Error{Code: fault.DocumentInvalid, Node: n.ID, Token: clip(m.Value.Text), Offset: fault.NoOffset,
			Message: m.Name + " is an integer of 64 bits"}
	}
	if i > tree.MaxInteger || i < -tree.MaxInteger {
		message := m.Name + " is outside of the range from " + strconv.FormatInt(-tree.MaxInteger, 10) + " to " +
			strconv.FormatInt(tree.MaxInteger, 10)
		if m.Name == "cycle" || m.Name == "ttl" { // edits and selectors add and subtract them
			return 0, fault.OnNode(fault.Limit, n.ID, message, "")
		}
		return i, r.refuse(fault.Limit, n.ID, message, "")
	}
	return i, nil
}

func clip(s string) string {
	if len(s) > 64 {
		return strings.ToValidUTF8(s[:64], "") + "…"
	}
	return s
}

// ReadNode reads one node without its children, as AppendNode writes it. The
// findings say what is wrong with it. Its errors are those of [Read].
func ReadNode(doc canon.Any, cycle int64, e selector.Edition) (*tree.Node, []inspect.Finding, error) {
	if doc.Kind != canon.KindObject {
		return nil, nil, fault.New(fault.DocumentInvalid, "the node is not a JSON object", "")
	}
	r := &reader{cycle: cycle, traits: e.Traits()}
	n := read{}
	n.Cycle, n.Expiry = cycle, tree.Never
	if err := r.headers(&n, doc, -2); err != nil {
		return nil, nil, err
	}
	if n.ID == "" || n.Type == "" {
		return nil, nil, fault.OnNode(fault.DocumentInvalid, n.ID, "the node has no id or no nodeType", "")
	}
	node := tree.NewNode(n.Node, nil)
	r.compareHash(node, n)
	return node, r.findings, nil
}
