package calllog

import (
	"bytes"
	"cmp"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// attachment begins a text that the log keeps apart under its hash.
const attachment = "attachment://"

// isInspect reports whether the first value of a file is a log of Inspect in JSON.
func isInspect(first raw) bool {
	f := first.fields()
	return f["eval"].kind() == canon.KindObject && f["status"].kind() == canon.KindString && f["version"] != nil
}

// readInspect reads the log of an evaluation with Inspect: each sample, and each
// of its epochs, is a session. It takes the request of a model event as it went to the provider, and rebuilds it
// from the messages of an event that lacks it.
func readInspect(list []record, found *findings) (sessions []Session) {
	for _, e := range list {
		for _, one := range e.under(e.fields()["samples"]) {
			s := sample{fields: one.fields(), found: found}
			if made := s.session(); len(made.Calls) > 0 {
				sessions = append(sessions, made)
			} else {
				found.add(one.line, "a sample has no call to a model, so it was left out")
			}
		}
	}
	return sessions
}

// sample is one sample of an evaluation.
type sample struct {
	fields
	attachments fields
	calls       pool // the messages that requests share by their numbers
	messages    pool // the same of inputs
	found       *findings
}

// pool is a list of messages that ranges of numbers refer to.
type pool struct {
	list []raw
	read []canon.Any // those that a range referred to
	used int         // how many messages all ranges stood for
}

// mostShared is how many messages the ranges of one sample may stand for, so that
// a small log cannot ask for more than a machine has.
const mostShared = 1 << 22

func (s *sample) session() Session {
	s.attachments = s.fields["attachments"].fields()
	shared := s.fields["events_data"].fields()
	s.calls, s.messages = pool{list: shared["calls"].elems()}, pool{list: shared["messages"].elems()}
	made := Session{Exact: Reported, Name: s.name()}
	for _, r := range s.fields["events"].elems() {
		f := r.fields()
		if f["event"].text() != "model" || f["pending"].isTrue() {
			continue
		}
		c, ok := s.reported(f)
		if !ok {
			if c, ok = s.rebuilt(f); !ok {
				s.found.add(0, "a model event has neither a request nor messages, so it was left out")
				continue
			}
			made.Exact = Rebuilt
		}
		if c.ID = f.text("uuid"); c.ID == "" {
			c.ID = strconv.Itoa(len(made.Calls) + 1)
		}
		s.times(&c, f)
		made.Calls = append(made.Calls, c)
	}
	return made
}

// name returns the id of the sample, with its epoch if that is not the first.
func (s *sample) name() string {
	name := s.fields["id"].text()
	if name == "" {
		name = string(s.fields["id"])
	}
	if n, ok := s.fields["epoch"].value().Value().Int64(); ok && n > 1 {
		name += "-epoch-" + strconv.FormatInt(n, 10)
	}
	return name
}

// times reads when a call began and ended.
func (s *sample) times(c *Call, f fields) {
	c.Started, c.Ended = timeOf(f["timestamp"].value()), timeOf(f["completed"].value())
	if took := f["call"].fields()["time"].value(); c.Ended == 0 && c.Started > 0 && took.Kind == canon.KindNumber {
		if seconds, err := strconv.ParseFloat(took.Text, 64); err == nil && seconds >= 0 && seconds < 1e6 {
			c.Ended = c.Started + int64(seconds*1e9)
		}
	}
}

// reported reads a call whose request the event has as it went to the provider. It reports false
// if the request or the answer is none of the four APIs.
func (s *sample) reported(f fields) (c Call, ok bool) {
	call := f["call"].fields()
	about := call["request"].fields()
	if refs := call["call_refs"].elems(); len(refs) > 0 {
		key := cmp.Or(call.text("call_key"), "messages")
		list := canon.ArrayOf(s.shared(refs, &s.calls)...)
		about = maps.Clone(about)
		about[key] = raw(canon.ArrayOf(list.Elems[:min(1, len(list.Elems))]...).AppendTo(nil)) // enough to tell the API
		c.Request = s.attached(call["request"].value()).With(key, list)
	} else {
		c.Body = s.resolved(call["request"])
	}
	if c.API = apiOf(about); c.API == "" {
		return c, false
	}
	c.Status, c.Path = http.StatusOK, provider.PathOf(c.API, about.text("model"))
	if c.API == provider.Gemini {
		_, model, _ := strings.Cut(f.text("model"), "/")
		c.Path = provider.PathOf(c.API, model)
	}
	switch response := call["response"]; {
	case !response.empty() && answers(response.fields()):
		c.Answer = s.resolved(response)
	case f.text("error") != "":
		c.Status, c.Answer = 0, canon.Fields("error", canon.Fields("message", f.text("error"))).AppendTo(nil)
	case response.empty():
		c.Status = 0
	case !f["output"].empty():
		return c, false // in the words of Inspect the event says it all
	default:
		s.found.add(0, "an answer has a form that is not known, so it was left out")
		c.Status = 0
	}
	return c, true
}

// shared returns the values that ranges of numbers stand for.
func (s *sample) shared(refs []raw, p *pool) (list []canon.Any) {
	if p.read == nil {
		p.read = make([]canon.Any, len(p.list))
	}
	for _, ref := range refs {
		pair := ref.elems()
		if len(pair) != 2 {
			continue
		}
		from, _ := pair[0].value().Value().Int64()
		to, _ := pair[1].value().Value().Int64()
		for i := max(from, 0); i < min(to, int64(len(p.list))); i++ {
			if p.used++; p.used > mostShared {
				s.found.add(0, "its requests share more messages than are read; the rest was left out")
				return list
			}
			if p.read[i].Kind == canon.KindAbsent {
				p.read[i] = s.attached(p.list[i].value())
			}
			list = append(list, p.read[i])
		}
	}
	return list
}

// resolved puts the texts that are kept apart into a value. A value without any stays as the file has it.
func (s *sample) resolved(r raw) []byte {
	if !bytes.Contains(r, []byte(attachment)) {
		return r
	}
	return s.attached(r.value()).AppendTo(nil)
}

// attached puts the texts that are kept apart in their places.
func (s *sample) attached(v canon.Any) canon.Any {
	switch v.Kind {
	case canon.KindString:
		if hash, ok := strings.CutPrefix(v.Text, attachment); ok {
			attachment, known := s.attachments[hash]
			if !known {
				s.found.add(0, "a text that is kept apart is missing")
				return v
			}
			return attachment.value()
		}
	case canon.KindArray:
		list := make([]canon.Any, len(v.Elems))
		for i, e := range v.Elems {
			list[i] = s.attached(e)
		}
		return canon.ArrayOf(list...)
	case canon.KindObject:
		members := make([]canon.Member, len(v.Members))
		for i, m := range v.Members {
			members[i] = canon.Member{Name: m.Name, Value: s.attached(m.Value)}
		}
		return canon.Object(members...)
	}
	return v
}
