package intake

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/runfile"
)

// Text reads a file from a reader of [Open] to its end. Of a zip archive it returns the log of Inspect
// in it, of the page of a run the history, as JSON of most bytes at most. E_DOCUMENT_INVALID if the file is no text. E_LIMIT beyond most
// and beyond the budget of ctx, in which Text holds the text and what reading its values takes: they
// stay held, because the caller goes on to read them.
func Text(ctx context.Context, file *bufio.Reader, most int64) ([]byte, error) {
	compact := IsCompact(file) // it is read line by line, and each line is held then
	data, release, err := budget.ReadAll(ctx, &bounded{file, most, most})
	switch {
	case err != nil:
	case bytes.HasPrefix(data, []byte(zipMark)):
		data, err = inspectLog(ctx, data, most)
		release()
	case runfile.IsPage(data):
		data, err = runfile.Archive(ctx, data, most)
		release()
		compact = true
	}
	if err != nil {
		return nil, err
	}
	if data, err = calllog.Text(data); err != nil || compact {
		return data, err
	}
	_, err = budget.Reserve(ctx, canon.Weight(data))
	return data, err
}

// bounded reads a text that may never end, up to most bytes.
type bounded struct {
	from       io.Reader
	left, most int64
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fault.New(fault.Limit, "the text has more than "+strconv.FormatInt(b.most, 10)+" bytes", "divide it")
	}
	return n, err
}
