package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// readCompactHead reads the first line of the compact form.
func (r *historyReader) readCompactHead(doc, version canon.Any) error {
	if r.last != nil || r.compact || string(version.Value()) != strconv.Itoa(compactVersion) {
		return fault.New(fault.DocumentInvalid, "the line does not begin a history of format "+strconv.Itoa(compactVersion),
			"write it again with a version of this program that writes format "+strconv.Itoa(compactVersion))
	}
	r.compact = true
	name, _ := doc.Get("edition")
	e, err := selector.ParseEdition(name.Text)
	if err != nil {
		return err
	}
	if r.Edition == "" {
		r.Edition = e
	}
	r.converted = r.Edition.Traits().Bare != e.Traits().Bare
	return nil
}

// readCompactLine reads any other line of the compact form.
func (r *historyReader) readCompactLine(doc canon.Any, size int) error {
	if r.working != nil {
		return fault.New(fault.DocumentInvalid, "a line follows the working state", "end the history with it")
	}
	kind, cycle, err := lineKind(doc)
	if err != nil {
		return err
	}
	list, _ := doc.Get("born")
	if err := r.hold(len(list.Elems), size); err != nil {
		return err
	}
	born, gone, err := r.bornAndGone(doc, cycle)
	if err != nil {
		return err
	}
	entry, err := readEntry(doc)
	if err != nil {
		return err
	}
	if r.converted { // its proofs are of other bytes
		entry.Thread, entry.Sent = "", ""
	}
	attempts, err := readAttempts(doc, cycle)
	if err != nil {
		return err
	}
	for i := range attempts {
		if r.converted {
			attempts[i].Thread = history.NoThread
		}
	}
	r.attempts = append(r.attempts, attempts...)
	switch {
	case r.last == nil && kind != "working":
		r.firstEntry = entry
		err := r.buildFirst(cycle, born, kind == "empty")
		if err == nil {
			err = r.checkThread(r.first, entry)
		}
		return err
	case r.last == nil || kind == "empty":
		return fault.New(fault.DocumentInvalid, "the history does not begin with its oldest snapshot",
			"write it from old to new")
	}
	next, err := r.buildNext(cycle, gone, born)
	if err != nil {
		return err
	}
	if kind == "working" {
		r.working = next
		return nil
	}
	if err := r.checkThread(next, entry); err != nil {
		return err
	}
	return r.publish(next, entry)
}

// readEntry reads the log entry in a line of the compact form, the zero entry if there is none.
func readEntry(doc canon.Any) (history.Entry, error) {
	e, ok := doc.Get("entry")
	if !ok {
		return history.Entry{}, nil
	}
	var l compactEntry
	if err := json.Unmarshal([]byte(e.Value()), &l); err != nil {
		return history.Entry{}, fault.Wrap(fault.DocumentInvalid, err, "the log entry cannot be read",
			"write the history again")
	}
	if sum, err := hex.DecodeString(l.Sent); err != nil || len(sum) != 0 && len(sum) != sha256.Size {
		return history.Entry{}, fault.At(fault.DocumentInvalid, fault.NoOffset, l.Sent,
			"sent is not a SHA-256 in hexadecimal", "write 64 hexadecimal digits, or leave it out")
	}
	return history.Entry{
		Actor: l.Actor, Message: l.Message, Report: l.Report, Sent: l.Sent, Thread: l.Thread, TimeNS: l.TimeNS, Idle: l.Idle,
	}, nil
}

// lineKind returns the kind of a line (cycle, working or empty) and its cycle.
func lineKind(doc canon.Any) (string, int64, error) {
	for _, kind := range [...]string{"cycle", "working", "empty"} {
		if v, ok := doc.Get(kind); ok {
			cycle, ok := v.Value().Int64()
			if kind == "working" { // the working state is one cycle ahead of the last snapshot
				cycle--
			}
			if err := document.CheckCycle(cycle, ok); err != nil {
				return "", 0, err
			}
			cycle, _ = v.Value().Int64()
			return kind, cycle, nil
		}
	}
	return "", 0, fault.New(fault.DocumentInvalid, "the line names no cycle", `write its cycle, as "cycle":1`)
}

// bornAndGone reads the nodes that a line adds and the ids that it removes, and checks that the
// nodes have a path to the root.
func (r *historyReader) bornAndGone(doc canon.Any, cycle int64) (born []tree.Born, gone []string, err error) {
	list, _ := doc.Get("born")
	parents := make(map[string]string) // of the nodes of this line
	root := ""                         // the first line has it
	if r.last != nil {
		root = r.last.Root().Node().ID
	}
	for _, b := range list.Elems {
		parent, _ := b.Get("parent")
		headers, _ := b.Get("node")
		if r.converted {
			headers.Members = slices.DeleteFunc(slices.Clone(headers.Members),
				func(m canon.Member) bool { return m.Name == "content_hash" })
		}
		n, findings, err := document.ReadNode(headers, cycle, r.Edition)
		if err != nil {
			return nil, nil, err
		}
		r.findings = append(r.findings, findings...)
		if _, twice := parents[n.ID]; twice {
			return nil, nil, fault.OnNode(fault.NodeDuplicate, n.ID, "the line has the node twice", "leave one of them out")
		}
		parents[n.ID] = parent.Text
		if root == "" {
			root = n.ID
		}
		if n.ID == root && r.Root != nil {
			n = r.Root(n)
		}
		if err := r.checkReachable(n.ID, root, parents); err != nil {
			return nil, nil, err
		}
		born = append(born, tree.Born{Node: n, Parent: parent.Text})
	}
	died, _ := doc.Get("died")
	for _, d := range died.Elems {
		if r.last != nil && d.Text == r.last.Root().Node().ID {
			return nil, nil, fault.OnNode(fault.DocumentInvalid, d.Text, "the root is listed as gone", "take it out of died")
		}
		gone = append(gone, d.Text)
	}
	return born, gone, nil
}

// buildFirst builds the first tree; empty says that it is that of a new context.
func (r *historyReader) buildFirst(cycle int64, born []tree.Born, empty bool) error {
	if len(born) == 0 {
		return fault.New(fault.DocumentInvalid, "the first snapshot has no nodes",
			"begin with the root and its three regions")
	}
	index := make(map[string]int, len(born))
	placed := make([]tree.Placed, len(born))
	for i, b := range born {
		placed[i] = tree.Placed{Node: b.Node, Parent: -1}
		if i > 0 {
			placed[i].Parent = index[b.Parent]
		}
		index[b.Node.ID] = i
	}
	t, err := tree.Build(cycle, placed)
	if err != nil {
		return err
	}
	r.first, r.last, r.empty = t, t, empty
	return checkPlaces(t, born)
}
