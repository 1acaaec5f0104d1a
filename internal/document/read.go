package document

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// MaxBytes is the largest document that Read takes.
const MaxBytes = 1 << 30

// Options say how to read a document.
type Options struct {
	Edition selector.Edition // overrides the edition of the document; "" does not
	Lenient bool             // report a wrong shape and go on, for queries of documents of other tools
}

// Document is a snapshot that was read.
type Document struct {
	Tree     *tree.Tree        // the snapshot
	Edition  selector.Edition  // the one asked for, else that of the document
	Findings []inspect.Finding // what is wrong with the document, but was no reason to refuse it
}

// Read reads one snapshot document (05 §3.2, 07 §5.2). It fills in missing headers
// and regions (docs/decisions.md) and keeps unknown attributes and types. A strict
// read refuses a shape that no context can have with E_DOCUMENT_INVALID or
// E_PLACEMENT_INVALID; a lenient read reports it. Both refuse a text that is not
// a JSON object with E_DOCUMENT_INVALID, and one beyond the limits with E_LIMIT.
//
// Specification: 02 §10, 05 §3.2, 07 §5, 07 §5.1, 07 §5.2.
func Read(data []byte, o Options) (*Document, error) {
	if len(data) > MaxBytes {
		return nil, fault.New(fault.Limit, "the document has more than "+strconv.Itoa(MaxBytes)+" bytes", "split it")
	}
	doc, err := Parse(data)
	if err != nil {
		return nil, err
	}
	return FromAny(doc, o)
}

// outline names the members of a document, or of a line of a history, that the
// reader walks. It needs contents and headers only in their canonical form.
var outline = canon.Outline{Walk: []string{"root", "children", "born", "node", "died", flatLog}, Hold: []string{"content"}}

// Parse reads the text of a document, or of a line of a history, for FromAny and
// ReadNode. Its errors are those of canon.ParseDocument.
func Parse(data []byte) (canon.Any, error) { return outline.Parse(data) }

// FromAny is Read for a document that [Parse] has parsed. Its errors are those of
// [Read].
func FromAny(doc canon.Any, o Options) (*Document, error) {
	if doc.Kind != canon.KindObject {
		return nil, fault.New(fault.DocumentInvalid, "the document is not a JSON object",
			"package transcript reads conversation logs")
	}
	r := &reader{lenient: o.Lenient, edition: o.Edition, ids: map[string]bool{}}
	doc, err := r.fromFlatLog(doc)
	if err != nil {
		return nil, err
	}
	root, ok := doc.Get("root")
	if !ok || root.Kind != canon.KindObject {
		return nil, fault.New(fault.DocumentInvalid, `the document has no object under "root"`,
			"package transcript reads conversation logs")
	}
	r.root = root
	if err := r.head(doc, root); err != nil {
		return nil, err
	}
	const most = 1 << 16 // of what may turn out to be no nodes
	r.nodes = make([]read, 0, min(nodesIn(root)+3, most))
	if err := r.node(root, -1, tree.Root, 0); err != nil {
		return nil, err
	}
	r.completeRegions()
	placed := make([]tree.Placed, len(r.nodes))
	for i, n := range r.nodes {
		placed[i] = tree.Placed{Node: tree.NewNode(n.Node, nil), Parent: n.parent}
		r.compareHash(placed[i].Node, n)
	}
	r.collisions(placed)
	t, err := tree.Build(r.cycle, placed)
	if err != nil {
		return nil, err
	}
	if err := r.shape(t); err != nil {
		return nil, err
	}
	return &Document{Tree: t, Edition: r.edition, Findings: r.findings}, nil
}

// reader turns a parsed document into nodes in the order of its listing.
type reader struct {
	lenient  bool
	edition  selector.Edition
	traits   selector.Traits
	cycle    int64
	nodes    []read
	ids      map[string]bool // those of the nodes that were read
	root     canon.Any
	given    map[string]bool // ids that come later in the document, of those that free may return
	findings []inspect.Finding
	// whether the turns of a ^seq without stamps are listed newest first, as the goldens of 001 §6.2 list them
	newestFirst bool
}

// read is a node as it was read.
type read struct {
	tree.Node
	parent   int
	class    tree.Class
	children int
	hash     string // the content_hash in the document
	hashed   bool   // the document has a content_hash for the node
}

func (r *reader) find(code fault.Code, node, message string) {
	r.findings = append(r.findings, inspect.Finding{Code: code, Node: node, Message: message})
}

// refuse returns an error in a strict read and adds a finding in a lenient one.
func (r *reader) refuse(code fault.Code, node, message, remedy string) error {
	if r.lenient {
		r.find(code, node, message)
		return nil
	}
	return fault.OnNode(code, node, message, remedy)
}

// head reads the members beside the root and determines the edition.
func (r *reader) head(doc, root canon.Any) error {
	var follows selector.Edition // what spec_version says
	for _, m := range doc.Members {
		switch m.Name {
		case "root":
		case "cycle":
			n, ok := m.Value.Value().Int64()
			if m.Value.Kind == canon.KindNull {
				n, ok = 0, true
			}
			if err := CheckCycle(n, ok); err != nil {
				return err
			}
			r.cycle = n
		case "edition":
			if m.Value.Kind == canon.KindNull {
				continue
			}
			e, err := selector.ParseEdition(m.Value.Text)
			switch {
			case err != nil && !r.lenient:
				return err
			case err != nil:
				r.find(fault.DocumentInvalid, "", "the edition "+strconv.Quote(m.Value.Text)+" is unknown")
			case r.edition == "":
				r.edition = e
			}
		case "spec_version":
			switch version := m.Value.Text + "."; {
			case strings.HasPrefix(version, "PACT/1."):
				follows = selector.V1
			case !strings.HasPrefix(version, "PACT/0.1."):
				r.find(fault.DocumentInvalid, "", "the document follows "+strconv.Quote(m.Value.Text)+
					", this reader PACT/0.1.0 and PACT/1.0.0")
			}
		default:
			r.find(fault.DocumentInvalid, "", "the member "+strconv.Quote(m.Name)+" is unknown and was left out")
		}
	}
	words := vocabularyOf(root)
	r.edition = cmp.Or(r.edition, follows, words, selector.Canonical)
	r.traits = r.edition.Traits()
	r.newestFirst = r.traits.UntimedNewestFirst && words != ""
	return nil
}

// CheckCycle refuses a number that is not the cycle of a snapshot, with
// E_DOCUMENT_INVALID if it is not an integer of 0 or more, and with E_LIMIT if no
// cycle could follow it.
func CheckCycle(n int64, isInteger bool) error {
	switch {
	case !isInteger || n < 0:
		return fault.New(fault.DocumentInvalid, "the cycle is not an integer of 0 or more", "write one, such as 0")
	case n >= tree.MaxInteger:
		return fault.New(fault.Limit, "the cycle is higher than "+strconv.FormatInt(tree.MaxInteger-1, 10),
			"give it a lower one")
	}
	return nil
}

// vocabularyOf derives the edition from the first canonical type name in the document, "" if it has none.
func vocabularyOf(node canon.Any) selector.Edition {
	t, _ := node.Get("nodeType")
	base, _, _ := strings.Cut(t.Text, ":")
	switch base {
	case "mt", "mc", "cb":
		return selector.V01
	case "seg", "cont", "block":
		return selector.Canonical
	}
	kids, _ := node.Get("children")
	for _, k := range kids.Elems {
		if e := vocabularyOf(k); e != "" {
			return e
		}
	}
	return ""
}

func (r *reader) compareHash(n *tree.Node, came read) {
	if !n.HashOK {
		r.find(fault.DocumentInvalid, n.ID, "the content holds what JSON cannot express; its hash is the empty string")
	}
	if came.hashed && came.hash != n.ContentHash() {
		r.find(fault.DocumentInvalid, n.ID, "the content_hash is not that of the content; it was computed again")
	}
}
