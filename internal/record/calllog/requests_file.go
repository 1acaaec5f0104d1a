package calllog

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
)

// How many bytes a line may have that ReadFile reads: a request and its answer, both written as
// texts; and the first line, before it is known to hold a request.
const (
	longestLine  = 160 << 20
	longestFirst = 16 << 20
)

// ReadFile is [Read] for a log of requests, or of one of the formats of lines, in JSON Lines that stays in its file. It
// keeps of each call what names and orders it; [Call.Load] reads the rest again, so the file must not change meanwhile.
// What is made of the lines of an agent goes to a spool. ReadFile returns nil without an error for a file of another form.
// Memory: a few times the longest line, and what is kept of each.
func ReadFile(file io.ReaderAt, size int64, o FileOptions) (*Log, error) {
	if more, err := hasLines(file, size); !more || err != nil {
		return nil, err
	}
	lines := linesOf(file, size, longestFirst)
	f, err := lines.format()
	if f == nil || err != nil {
		return nil, err
	}
	lines = linesOf(file, size, longestLine)
	values := &valueFile{file: file}
	found := findings{texts: &texts{}}
	if f != &requests {
		if found.texts.file, err = o.Spool(); err != nil {
			return nil, err
		}
	}
	r, j := newRequestList(&found), newJudge(f, &found)
	var list []record // of another format than requests
	all := 0
	var d canon.Damage
	for {
		err := lines.next()
		if err == io.EOF {
			break
		}
		if errors.Is(err, errLongLine) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		for _, p := range d.Line(lines.text, lines.at, lines.number, lines.after == size && all > 0) {
			all++
			if f != &requests {
				if len(list)%heldLines == 0 {
					if err := o.Hold(heldLines * memoryOfLine); err != nil {
						return nil, err
					}
				}
				list = append(list, record{line: lines.number, of: values, at: lines.at + int64(p.At), size: len(p.Text)})
				continue
			}
			e := record{inMemory: p.Text, line: lines.number}
			takes := j.accepts(e)
			if found.refused != nil {
				return nil, f.named(found.refused)
			}
			if !takes {
				continue
			}
			calls := r.read(e)
			if r.wrapped {
				return nil, nil
			}
			if len(calls) == 0 {
				continue
			}
			c := &calls[0]
			c.Refused = o.Check(c)
			c.fromFile = &fileCall{file, lines.at + int64(p.At), len(p.Text)}
			c.Header, c.Body, c.Answer, c.Attrs = nil, nil, nil, nil
			r.session.Calls = append(r.session.Calls, *c)
		}
	}
	if f == &requests {
		return f.log(r.sessions(), &found, &d)
	}
	log, err := f.logOf(list, &found, &d)
	return log, cmp.Or(values.err, found.texts.err, err)
}

// FileOptions say what ReadFile does with what it reads.
type FileOptions struct {
	Spool func() (Spool, error)     // makes the file for what is made of lines
	Check func(request *Call) error // is called while all of a request is there; its error is kept as Refused
	Hold  func(memory int64) error  // is called with the bytes of memory that lines are about to take
}

// The memory that a line takes while its file is read, measured with some room. It is held for many lines at once.
const (
	memoryOfLine = 1 << 10
	heldLines    = 256
)

// fileCall is where a call stands in its file.
type fileCall struct {
	file io.ReaderAt
	at   int64
	size int
}

// changedFile is the error for a file that does not say any more what it said.
func changedFile(line int) error {
	return &fault.Error{Code: fault.Conflict, Offset: fault.NoOffset, Line: line,
		Message: "the file was changed while it was read", Remedy: "import it again"}
}

// Load returns the call with what stayed in the file.
func (c *Call) Load() (Call, error) {
	switch {
	case c.of != nil:
		return c.loaded()
	case c.fromFile == nil:
		return *c, nil
	}
	text := make([]byte, c.fromFile.size)
	if _, err := c.fromFile.file.ReadAt(text, c.fromFile.at); err != nil && !errors.Is(err, io.EOF) {
		return Call{}, err
	}
	again := callOf(bytes.TrimSpace(text))
	if again == nil || again.API != c.API || again.Started != c.Started {
		return Call{}, changedFile(c.Line)
	}
	whole := *c
	whole.fromFile = nil
	whole.Header, whole.Body, whole.Answer, whole.Attrs = again.Header, again.Body, again.Answer, again.Attrs
	return whole, nil
}

// fileLines steps through the lines of a file that have something in them.
type fileLines struct {
	from    *bufio.Reader
	longest int    // how many bytes a line may have
	text    []byte // the line at hand with its line break, until the next step
	at      int64  // its offset
	number  int    // counted from 1
	after   int64  // where the next line begins
}

func linesOf(file io.ReaderAt, size int64, longest int) fileLines {
	return fileLines{from: bufio.NewReaderSize(io.NewSectionReader(file, 0, size), 1<<20), longest: longest}
}

// errLongLine says that a line is longer than a fileLines reads.
var errLongLine = errors.New("a line is too long")

// next steps to the next line, or returns io.EOF.
func (l *fileLines) next() error {
	for {
		l.text, l.at = l.text[:0], l.after
		var err error
		for more := true; more; {
			var part []byte
			part, err = l.from.ReadSlice('\n')
			l.text = append(l.text, part...)
			if more = errors.Is(err, bufio.ErrBufferFull); more && len(l.text) > l.longest {
				return errLongLine
			}
		}
		if err != nil && err != io.EOF {
			return err
		}
		l.after += int64(len(l.text))
		if len(l.text) > 0 {
			l.number++
		}
		if len(bytes.TrimSpace(l.text)) > 0 {
			return nil
		}
		if err == io.EOF {
			return io.EOF
		}
	}
}

// hasLines reports whether anything comes behind the first line of a file, if that is not too long. A document is one
// line, of which nothing needs to be held to see that. Cost: reading the first line.
func hasLines(file io.ReaderAt, size int64) (bool, error) {
	buf := make([]byte, 64<<10)
	for at := int64(0); at < min(size, longestFirst); {
		n, err := file.ReadAt(buf, at)
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return at+int64(i)+1 < size, nil
		}
		if at += int64(n); err != nil && err != io.EOF {
			return false, err
		}
		if n == 0 {
			break
		}
	}
	return false, nil
}

// format returns the format of a file that ReadFile reads, nil for any other: its first line is JSON, and more follow.
// Some programs begin a log with lines about themselves.
func (l *fileLines) format() (is *format, err error) {
	for n := 0; ; n++ {
		err := l.next()
		switch {
		case err == io.EOF || errors.Is(err, errLongLine):
			return nil, nil
		case err != nil:
			return nil, err
		case is != nil:
			return is, nil // a second line: the first one is not a list of all calls
		case n == maxForeignLines:
			return nil, nil
		case n == 0:
			if _, err := canon.Parse(l.text); err != nil {
				return nil, nil
			}
		}
		if err := Foreign(l.text); err != nil {
			return nil, err
		}
		if is, _ = formatOf(l.text); is == nil {
			continue
		}
		if is.name == requests.name {
			is = &requests
		} else if !slices.Contains(ofLines, is.name) || raw(l.text).kind() != canon.KindObject {
			return nil, nil
		}
		if n > 0 {
			return is, nil
		}
	}
}
