package intake

import (
	"bytes"
	"io"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/calllog"
	"github.com/klauspost/compress/zstd"
)

// Text returns the text of a file that is plain or compressed with gzip or Zstandard, with or
// without a byte order mark, and the JSON of a log of Inspect in a zip archive. It returns
// E_DOCUMENT_INVALID for what is no text or cut short, and E_LIMIT for more than calllog.MaxLog
// bytes; an archive may hold archived bytes at most.
func Text(data []byte, archived int64) ([]byte, error) {
	var err error
	switch {
	case bytes.HasPrefix(data, []byte(zstdMark)):
		data, err = unzstd(data)
	case bytes.HasPrefix(data, []byte(zipMark)):
		data, err = inspectLog(data, archived)
	}
	if err != nil {
		return nil, err
	}
	return calllog.Text(data)
}

// unzstd decompresses a file that begins like Zstandard.
func unzstd(data []byte) ([]byte, error) {
	z, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	text, err := io.ReadAll(io.LimitReader(z, calllog.MaxLog+1))
	switch {
	case err != nil:
		return nil, fault.Wrap(fault.DocumentInvalid, err, "the Zstandard file is damaged or cut short", "")
	case len(text) > calllog.MaxLog:
		return nil, fault.New(fault.Limit, "the log has more than "+strconv.Itoa(calllog.MaxLog)+" bytes", "divide it")
	}
	return text, nil
}
