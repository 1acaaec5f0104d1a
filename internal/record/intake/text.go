package intake

import (
	"bufio"
	"bytes"
	"context"

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
	backup := IsBackup(file) // it is read line by line, and each line is held then
	data, release, err := budget.ReadAll(ctx, file)
	switch {
	case err != nil:
	case bytes.HasPrefix(data, []byte(zipMark)):
		data, err = inspectLog(ctx, data, most)
		release()
	case runfile.IsPage(data):
		data, err = runfile.Archive(ctx, data, most)
		release()
		backup = true
	}
	if err != nil {
		return nil, err
	}
	if data, err = calllog.Text(data); err != nil || backup {
		return data, err
	}
	_, err = budget.Hold(ctx, canon.Weight(data))
	return data, err
}
