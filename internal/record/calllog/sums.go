package calllog

import (
	"fmt"
	"net/http"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/sums"
)

// account counts the file and what was read of it, and adds a finding for each difference. again are lines of the file
// that others of the list repeat.
func (f *format) account(log *Log, list, again []record, found *findings) error {
	if f.count == nil {
		return nil
	}
	b := &sums.Book{}
	for i := range log.Sessions {
		s := &log.Sessions[i]
		var before *Call
		for j := range s.Calls {
			c, err := s.Calls[j].Load()
			if err != nil {
				return err
			}
			if err := c.sentTo(b, before); err != nil {
				return err
			}
			a := c.answer(c.Answer)
			if a.Contradicts {
				log.Findings = append(log.Findings, inspect.Finding{Code: fault.DocumentInvalid, Message: fmt.Sprintf(
					"line %d: the tokens that this answer counts contradict each other, so those of its request are unknown", c.Line)})
			}
			b.Answered(&a, c.attribute(costAttr).Text)
			before = &c
		}
		if s.unsent != nil {
			if err := s.unsent.sentTo(b, before); err != nil {
				return err
			}
		}
		b.Sent(s.Unsent)
	}
	lines := map[int]int{} // of those that findings name, how many records they have
	for _, e := range list {
		b.Record(e.line)
		f.count(e, b)
		if found.names(e.line) {
			lines[e.line]++
		}
	}
	for _, e := range again {
		b.Record(e.line)
		b.Note("a line again")
	}
	// A finding names a line, and so a record only if that has the line for itself.
	all, differences := b.Close(func(line int) bool { return line > 0 && lines[line] == 1 })
	log.Sums, log.Findings = all, append(log.Findings, differences...)
	return nil
}

// sentTo counts what a call sent behind what the one before it did.
func (c *Call) sentTo(b *sums.Book, before *Call) error {
	if c.Body != nil {
		b.Sent(raw(c.Body).value())
	}
	if c.of == nil {
		b.Sent(c.Request)
		return nil
	}
	more, err := c.messages(c.shared(before))
	b.Sent(more)
	return err
}

// bodies returns the sums of a log of bodies, which stay as they are: each value is a call, or a finding names it.
func bodies(sessions []Session, found *findings) *sums.Sums {
	read := found.left
	for i := range sessions {
		read += int64(len(sessions[i].Calls))
	}
	return &sums.Sums{Records: sums.Sum{File: found.records, Read: read}}
}

// costAttr is the attribute of a call with its price in dollars, as the log says it.
const costAttr = "cost"

// answer reads an answer to a call; the zero Answer if the log has none.
func (c *Call) answer(body []byte) provider.Answer {
	if body == nil {
		return provider.Answer{}
	}
	header := http.Header{}
	if streamed(string(body[:min(len(body), longestEvent)])) {
		header.Set("Content-Type", "text/event-stream")
	}
	assembler := provider.NewAssembler(c.API, c.Status, header)
	_, _ = assembler.Write(body) // it takes every byte
	return assembler.Close(nil)
}

// countClaude counts a line of a transcript of Claude Code.
func countClaude(e record, b *sums.Book) {
	f := e.raw().pick("type", "message", "requestId")
	message := f[1].fields()
	switch kind := f[0].text(); {
	case kind == "user" && message != nil:
		b.Message(f[1].value())
		if !holdsResult(message["content"]) {
			b.Turn++
		}
	case kind == "assistant" && message != nil:
		b.Message(canon.Fields("content", message["content"].value()), "caller", "signature")
		if counts := message["usage"].fields(); len(counts) > 0 && message.text("model") != "<synthetic>" {
			b.Tokens(fmt.Sprint(message.text("id"), f[2].text(), b.Turn), withCached(usage(counts, "input_tokens", "output_tokens", "cache_read_input_tokens",
				"cache_creation_input_tokens", "")))
		}
	default:
		b.Note(kind)
	}
}
