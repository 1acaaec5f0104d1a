package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
)

// Erase says what to remove for good from a context and from its family: all contexts that
// share history with it. If it names nothing, it only finishes the clean-up after earlier
// erasures.
type Erase struct {
	IDs       []string      // of nodes; whatever is or ever was below them goes too
	Texts     []string      // every node and every log entry that contains one goes
	Revisions []int64       // of the context; their entries lose actor, message, request and report
	Salt      []byte        // SaltSize bytes that cannot be guessed; the store does not keep them
	Entry     history.Entry // Actor, Message (the reason) and TimeNS; the engine sets the rest
	Guard     Guard
	DryRun    bool // change nothing; if nothing is named, only report what is left to clean up
	// Before, if not nil, is called after the erasure is planned and before anything is
	// written. If it fails, nothing is erased.
	Before   func() error
	Progress func(done, total int) // snapshots walked so far and in all; may be nil
}

// SaltSize is the size of a salt in bytes.
const SaltSize = 32

// stale reports whether the digest of an entry may give away a short text. Such a digest covers
// a working state with drafts that no snapshot ever showed; a reader who knows the rest of the
// conversation could guess the text. last is the digest of the last entry, whose state still
// exists.
func stale(e *history.Entry, last string) bool {
	working := e.Kind == history.Edit || e.Kind == history.Superseded || e.Kind == history.Erasing
	return working && e.Digest != "" && e.Digest != last
}

// Nothing reports whether the erasure names nothing to erase.
func (e *Erase) Nothing() bool { return len(e.IDs)+len(e.Texts)+len(e.Revisions) == 0 }

// recorded returns the entry for the log of one context.
func (e *Erase) recorded(of history.Erased, now Info) (history.Entry, error) {
	slices.Sort(of.IDs)
	if !e.DryRun {
		sum := sha256.Sum256(e.Salt)
		of.Salt = hex.EncodeToString(sum[:])
	}
	report, err := json.Marshal(struct {
		Erased *history.Erased `json:"erased"` // as history.Entry.Erased reads it
	}{&of})
	if err != nil {
		return history.Entry{}, fault.Wrap(fault.Store, err, "the report cannot be written",
			"report it as a fault of the library")
	}
	entry := e.Entry
	entry.Kind, entry.Cycle, entry.Report = history.Erasing, now.Stamps.Cycle, report
	return entry, nil
}

// check returns an error for an erasure that must not be carried out: one without a salt or a
// reason, and one whose own log entry would contain the text that it erases.
func (e *Erase) check() error {
	if len(e.Salt) != SaltSize && !e.DryRun {
		return fault.New(fault.DocumentInvalid, "the salt does not have "+strconv.Itoa(SaltSize)+" bytes",
			"take them from a source that cannot be guessed")
	}
	if strings.TrimSpace(e.Entry.Message) == "" && !e.DryRun {
		return fault.New(fault.DocumentInvalid, "the erasure has no reason", "say why; the log keeps it")
	}
	if slices.Contains(e.Texts, "") {
		return fault.New(fault.DocumentInvalid, "the text to erase is empty", "give at least one character of it")
	}
	for _, text := range e.Texts {
		if !utf8.ValidString(text) { // no content contains it
			return fault.New(fault.DocumentInvalid, "the text to erase is not valid UTF-8: "+strconv.Quote(text),
				"convert it to UTF-8")
		}
	}
	f := newFinder(e.Texts)
	if f.in(e.Entry.Message) || f.in(e.Entry.Actor) {
		return fault.New(fault.DocumentInvalid,
			"the reason or the actor contains the text to erase, and the log would keep it", "say it in other words")
	}
	return nil
}

// admit refuses an erasure whose reason contains, as a separate word, the whole content of a
// node that it erases.
func (e *Erase) admit(n *tree.Node, content string) error {
	if content = strings.TrimSpace(content); content == "" || n.Erased() {
		return nil
	}
	for _, text := range [...]string{e.Entry.Message, e.Entry.Actor} {
		if isWholeWord(text, content) {
			return fault.OnNode(fault.DocumentInvalid, n.ID,
				"the reason or the actor contains the content to erase, and the log would keep it", "say it in other words")
		}
	}
	return nil
}

// isWholeWord reports whether text contains part with no letter or digit next to it.
func isWholeWord(text, part string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], part)
		if at < 0 {
			return false
		}
		at += from
		before, after := text[:at], text[at+len(part):]
		if !endsIn(before) && !beginsWith(after) {
			return true
		}
		from = at + 1
	}
}

// unnamed returns the error for an id that no context of the family ever had:
// E_NODE_NOT_FOUND.
func unnamed(id string) error {
	return fault.OnNode(fault.NodeNotFound, id,
		"neither the context nor any that shares history with it ever had such a node",
		"the selector '@* *' finds the ids of all snapshots")
}

// stuckInName returns the error for a text that is also in the name of a context, which an
// erasure does not change: E_DOCUMENT_INVALID.
func stuckInName(name string) error {
	return fault.At(fault.DocumentInvalid, fault.NoOffset, name,
		"the text is also in the name of the context "+strconv.Quote(name)+", which an erasure leaves as it is",
		"rename that context first")
}

// stuckInNode returns the error for a text that is also in the id, the type or a reference
// of a node, which an erasure does not change: E_DOCUMENT_INVALID.
func stuckInNode(n *tree.Node) error {
	return fault.OnNode(fault.DocumentInvalid, n.ID,
		"the text is also in the id, in the type or in the references of this node, which an erasure leaves as they are",
		"export the history, put other ids into the file, import it under another name, "+
			"and delete this context with all that share its history")
}

// blanked returns the entry without the texts that a person may have written into it: actor,
// message, report and request token. It removes the token completely, because tokens must be
// unique. An edit also loses its digest, which may cover drafts that are gone. The entry of an
// erasure still says what was removed.
func blanked(e history.Entry) history.Entry {
	if e.Actor != "" {
		e.Actor = history.Blank
	}
	if e.Message != "" {
		e.Message = history.Blank
	}
	if len(e.Report) > 0 && e.Kind != history.Erasing {
		e.Report = json.RawMessage(history.BlankReport)
	}
	if e.Kind == history.Edit {
		e.Digest = ""
	}
	e.Request = ""
	return e
}

// isBlank reports whether blanked would change nothing.
func isBlank(e *history.Entry) bool {
	written := func(text string) bool { return text != "" && text != history.Blank }
	report := len(e.Report) > 0 && e.Kind != history.Erasing && string(e.Report) != history.BlankReport
	return !written(e.Actor) && !written(e.Message) && !report && e.Request == "" && (e.Kind != history.Edit || e.Digest == "")
}

// noRevision returns the error for a revision that is not in the log: E_SNAPSHOT_NOT_FOUND.
func noRevision(revision int64) error {
	return fault.New(fault.SnapshotNotFound, "the log has no revision "+strconv.FormatInt(revision, 10),
		"Log lists the revisions")
}
