package record

import (
	"bytes"
	"io"

	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/safefile"
)

// answerInMemory is how many bytes of an answer stay in memory while it passes.
const answerInMemory = 256 << 10

// answerCopy is the copy of an answer while it passes: its beginning in memory, the rest in a temporary file. It has at
// most one byte more than a [provider.Assembler] reads.
type answerCopy struct {
	head []byte
	rest *safefile.Unnamed // nil if all is in head
	size int64             // of the bytes in rest
	cut  string            // why it has not all of the answer, "" if it has
}

// len returns how many bytes it has.
func (p *answerCopy) len() int { return len(p.head) + int(p.size) }

// add takes the next bytes of the answer. If the file cannot take them, the copy ends there.
func (p *answerCopy) add(b []byte) {
	if p.cut != "" {
		return
	}
	b = b[:min(len(b), provider.MaxAnswer+1-p.len())]
	if room := min(len(b), answerInMemory-len(p.head)); room > 0 {
		p.head = append(p.head, b[:room]...)
		b = b[room:]
	}
	if len(b) == 0 {
		return
	}
	err := error(nil)
	if p.rest == nil {
		p.rest, err = safefile.NewUnnamed("pact-answer-*")
	}
	if err == nil {
		_, err = p.rest.WriteAt(b, p.size)
	}
	if err != nil {
		p.cut = "the rest of the answer has no room: " + err.Error()
		return
	}
	p.size += int64(len(b))
}

// end has the copy end where it had so many bytes.
func (p *answerCopy) end(size int64, why string) {
	if p.cut == "" {
		p.cut = why
		p.head = p.head[:min(size, int64(len(p.head)))]
		p.size = max(0, min(p.size, size-int64(len(p.head))))
	}
}

func (p *answerCopy) reader() io.Reader {
	if p.rest == nil {
		return bytes.NewReader(p.head)
	}
	return io.MultiReader(bytes.NewReader(p.head), io.NewSectionReader(p.rest, 0, p.size))
}

func (p *answerCopy) close() {
	if p.rest != nil {
		_ = p.rest.Close() // nothing is lost with it
	}
}
