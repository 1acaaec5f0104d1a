package document

import (
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

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
			" bytes without lone surrogates", "give the node another")
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
			return fault.OnNode(fault.DocumentInvalid, n.ID, "nodeType is not a string",
				`write one, such as "cb" for a block`)
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
				return fault.OnNode(fault.DocumentInvalid, n.ID, "created_at_iso is not a string",
					`write one, such as "2026-01-31T12:00:00Z", or leave it out`)
			}
			n.ForeignISO = strings.Clone(v.Text)
		}
	case "content":
		if v.Kind != canon.KindNull {
			content := v.Value()
			n.Content, err = tree.InMemory(content), nested(n, m, content)
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
	if want := tree.KindOf(m.Name); want != canon.KindAbsent && m.Value.Kind != want {
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
			Message: m.Name + " is an integer of 64 bits", Remedy: "write one, such as 1"}
	}
	if i > tree.MaxInteger || i < -tree.MaxInteger {
		message := m.Name + " is outside of the range from " + strconv.FormatInt(-tree.MaxInteger, 10) + " to " +
			strconv.FormatInt(tree.MaxInteger, 10)
		if m.Name == "cycle" || m.Name == "ttl" { // edits and selectors add and subtract them
			return 0, fault.OnNode(fault.Limit, n.ID, message, "give it a number in the range")
		}
		return i, r.refuse(fault.Limit, n.ID, message, "give it a number in the range")
	}
	return i, nil
}

func clip(s string) string {
	if len(s) > 64 {
		return strings.ToValidUTF8(s[:64], "") + "…"
	}
	return s
}
