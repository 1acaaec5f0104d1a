package archive

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/document"
)

// lines reads the lines of a history that hold something.
type lines struct {
	in   *bufio.Reader
	no   int    // of the last line that was read
	back []line // to yield before the others are read, the last one first
}

// line is a line with its number, which counts from 1.
type line struct {
	data []byte
	no   int
}

// all yields the lines that were not yielded yet. An error ends it, and has the number of its line.
func (l *lines) all(ctx context.Context) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		for {
			next, err := l.next(ctx)
			if err == io.EOF || !yield(next, err) || err != nil {
				return
			}
		}
	}
}

func (l *lines) next(ctx context.Context) (next line, err error) {
	if n := len(l.back); n > 0 {
		next, l.back = l.back[n-1], l.back[:n-1]
		return next, ctx.Err()
	}
	for len(next.data) == 0 && err == nil {
		if next.data, err = readLine(ctx, l.in); err == io.EOF {
			return next, err
		}
		l.no++
		if next.no = l.no; err == nil {
			err = ctx.Err()
		}
	}
	return next, err
}

// reverse reads all lines, and lets them come again from the last one to the first two.
func (l *lines) reverse(ctx context.Context, first, second line) error {
	list := []line{first, second}
	for next, err := range l.all(ctx) {
		if err == nil {
			_, err = budget.Reserve(ctx, int64(len(next.data)))
		}
		if err != nil {
			return onLine(err, next.no)
		}
		list = append(list, next)
	}
	l.back = list
	return nil
}

// readLine returns the next line without its end.
func readLine(ctx context.Context, in *bufio.Reader) ([]byte, error) {
	var line []byte
	release := func() {}
	defer func() { release() }()
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > cap(line) { // room for more, beside the line until it is copied
			release()
			var err error
			if release, err = budget.Reserve(ctx, 3*int64(len(line)+len(part))); err != nil {
				release = func() {}
				return nil, err
			}
		}
		line = append(line, part...)
		switch {
		case len(line) > document.MaxBytes:
			return nil, fault.New(fault.Limit, "a line of the history is longer than "+strconv.Itoa(document.MaxBytes)+" bytes",
				"export it in the compact form, which writes each node once")
		case errors.Is(err, bufio.ErrBufferFull):
		case err == io.EOF && len(line) > 0, err == nil:
			for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
				line = line[:len(line)-1]
			}
			return line, nil
		case err != nil:
			return nil, err
		}
	}
}

// onLine adds the line to an error that has none.
func onLine(err error, line int) error {
	var e *fault.Error
	if !errors.As(err, &e) {
		return err
	}
	at := *e
	if at.Line == 0 {
		at.Line = line
	}
	return &at
}
