package calllog

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
)

// Read reads a log. E_DOCUMENT_INVALID with line and offset if it is damaged, or in no known format.
// Time and memory are linear in the log and in the requests that it stands for.
func Read(data []byte) (*Log, error) {
	data, err := Text(data)
	if err != nil {
		return nil, err
	}
	if err := Foreign(data); err != nil {
		return nil, err
	}
	f, byLine := formatOf(data)
	if f == nil {
		if _, _, err := recordsOf(data, false); err != nil && (data[0] == '{' || data[0] == '[') {
			return nil, err // a damaged value may be of any format
		}
		return nil, fault.New(fault.DocumentInvalid, "the file is in no known format of logs", "known are "+formatNames())
	}
	return f.file(data, byLine)
}

// ReadMessages is [Read] for messages alone: it takes those of a request, too.
func ReadMessages(data []byte) (*Log, error) {
	data, err := Text(data)
	if err != nil {
		return nil, err
	}
	f, byLine := messageFormatOf(data)
	if f == nil {
		return nil, fault.New(fault.DocumentInvalid, "the file holds no list of chat messages",
			"give OpenAI messages (a list, an object with messages, JSON Lines), a tau-bench, SWE-agent or SWE-smith file")
	}
	return f.file(data, byLine)
}

// file reads a file of the format. byLine says that its lines told the format one by one.
func (f *format) file(data []byte, byLine bool) (*Log, error) {
	list, d, err := recordsOf(data, byLine)
	if err != nil {
		return nil, f.named(err)
	}
	if f.name == anthropicObjects.name && slices.ContainsFunc(list, isSent) {
		f = &requests // whatever its first line is
	}
	found := findings{texts: &texts{}}
	return f.logOf(list, &found, &d)
}

// logOf reads the values of a file, and accounts for them.
func (f *format) logOf(list []record, found *findings, d *canon.Damage) (*Log, error) {
	read, again := f.ownEntries(list, found), []record(nil)
	if f.name == codexRollout {
		list, again = inOrderOfTime(read, found) // its counters go on from line to line
		read = list
	}
	sessions := f.read(read, found)
	if found.refused != nil {
		return nil, f.named(found.refused)
	}
	log, err := f.log(sessions, found, d)
	if err == nil {
		err = f.account(log, list, again, found)
	}
	return log, err
}

// ownEntries returns the values of a file that the reader of its format gets. It refuses a file with a value of another format.
// Of a format whose values are lines of many kinds it is the reader that knows them.
func (f *format) ownEntries(list []record, found *findings) []record {
	if len(list) < 2 {
		return list
	}
	j, own := newJudge(f, found), list // until one is left out
	for i, e := range list {
		takes := j.accepts(e)
		if found.refused != nil {
			return nil
		}
		if !takes && len(own) == len(list) {
			own = slices.Clone(list[:i])
		} else if takes && len(own) < len(list) {
			own = append(own, e)
		}
	}
	return own
}

// judge decides which values of a file the reader of its format gets.
type judge struct {
	of     *format
	found  *findings
	others map[string]string // of values that do not tell the format of the file, what otherOf says, by their kind
}

func newJudge(f *format, found *findings) *judge { return &judge{f, found, map[string]string{}} }

// accepts reports whether the reader gets a value. It notes what is left out, and refuses the file if the value has another
// format. Among requests, messages alone are left out: a program logs them so for a request that it could not send.
func (j *judge) accepts(e record) bool {
	f, found, other, what := j.of, j.found, "", "nothing that is known"
	value := e.raw()
	is := f.is(value)
	if rival, ok := rivals[f.name]; ok && rival.is(value) {
		other = formatOfValue(formats, value).name
	} else if !is {
		kind, known := kindOf(value), false
		if other, known = j.others[kind]; !known {
			other = f.otherOf(value)
			j.others[kind] = other
		}
	}
	switch {
	case other == "" && (is || !slices.Contains(ofEachValue, f.name)):
		return true
	case other == "":
	case f.name == requests.name && slices.Contains(ofMessages, other):
		what = "part of " + other
	default:
		found.refuse(&fault.Error{Code: fault.DocumentInvalid, Offset: fault.NoOffset, Line: e.line,
			Message: "this looks like part of " + other, Remedy: "put what is of one format into a file of its own"})
		return false
	}
	found.add(e.line, "it is "+what+" and not of "+f.name+", so it was left out")
	if f.count == nil {
		found.records, found.left = found.records+1, found.left+1
	}
	return false
}

// log returns the log of sessions, with the findings about them and about damaged lines.
func (f *format) log(sessions []Session, found *findings, d *canon.Damage) (*Log, error) {
	if len(sessions) == 0 && d.First != nil {
		return nil, f.named(d.First)
	}
	if len(sessions) == 0 {
		return nil, f.named(fault.New(fault.DocumentInvalid, f.empty, f.remedy))
	}
	says := func(s Session) bool { return len(s.Calls) > 0 || s.HasUnsent() }
	if !slices.ContainsFunc(sessions, says) {
		return nil, f.named(fault.New(fault.DocumentInvalid, "nothing in it was said to a model or by one",
			"give a file with at least one message of a user or an answer"))
	}
	d.Say(found.note)
	if len(sessions) == 1 {
		sessions[0].Name = ""
	}
	for i := range sessions {
		s := &sessions[i]
		ownIDs(s.Calls)
		if s.Exact == Rebuilt && s.Missing == nil {
			s.Missing = lackedBy(s.Calls, f.lacks)
		}
	}
	_, name, _ := strings.Cut(f.name, " ")
	log := &Log{Format: name, Sessions: sessions, Findings: append(found.list(), withoutCalls(sessions)...)}
	if d.First != nil {
		log.Damage = f.named(d.First)
	}
	if found.records > 0 {
		log.Sums = bodies(sessions, found)
	}
	return log, nil
}

// withoutCalls says why a session makes no cycle: a call is there with its answer.
func withoutCalls(sessions []Session) (list []inspect.Finding) {
	for i := range sessions {
		if s := &sessions[i]; len(s.Calls) == 0 {
			why := "the model has answered nothing, so there is no cycle yet: what was said waits in the working state"
			if messages, _ := s.Unsent.Get("messages"); s.Replay != nil && len(messages.Elems) == 0 {
				why = "there are no messages, so there is no cycle"
			} else if !s.HasUnsent() {
				why = "nothing was said to a model, so there is nothing to import"
			}
			if s.Name != "" {
				why = s.Name + ": " + why
			}
			list = append(list, inspect.Finding{Code: fault.DocumentInvalid, Message: why})
		}
	}
	return list
}

// ownIDs adds a number to the id of a call that another call of the session has too.
func ownIDs(calls []Call) {
	taken, next := map[string]bool{}, map[string]int{}
	for i := range calls {
		taken[calls[i].ID] = true
	}
	for i := range calls {
		id := calls[i].ID
		if next[id] == 0 {
			next[id] = 2 // the first keeps its id
			continue
		}
		for taken[calls[i].ID] {
			calls[i].ID = id + "#" + strconv.Itoa(next[id])
			next[id]++
		}
		taken[calls[i].ID] = true
	}
}

// named names the format in the message of an error.
func (f *format) named(err error) error {
	var e *fault.Error
	if !errors.As(err, &e) {
		return err
	}
	in := *e
	in.Message = f.name
	if e.Line > 0 {
		in.Message += ", line " + strconv.Itoa(e.Line)
	}
	in.Message += ": " + e.Message
	return &in
}
