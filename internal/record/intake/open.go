package intake

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/klauspost/compress/zstd"
)

// How files begin that are not plain text.
const (
	gzipMark = "\x1f\x8b"
	zstdMark = "\x28\xb5\x2f\xfd"
	bomMark  = "\uFEFF"
)

// MaxText is how many bytes of text a compressed file may have by default.
const MaxText = 1 << 30

// headerBytes is how long the first line of a history in the compact form may be for IsCompact.
const headerBytes = 4 << 10

// Open returns the text of a file that arrives: plain or compressed with gzip or Zstandard, without
// a byte order mark. Open and the reader return E_DOCUMENT_INVALID if the file is damaged or cut
// short, and E_LIMIT if there are more than most bytes of text. Errors of r are in their chain.
func Open(r io.Reader, most int64) (*bufio.Reader, error) {
	file := bufio.NewReader(r)
	d := decompressed{left: most, most: most}
	var err error
	switch {
	case begins(file, gzipMark):
		d.format = "gzip"
		d.from, err = gzip.NewReader(file)
	case begins(file, zstdMark):
		d.format = "Zstandard"
		d.from, err = zstd.NewReader(file, zstd.WithDecoderConcurrency(1)) // which starts no goroutine
	default:
		return withoutMark(file), nil
	}
	if err != nil {
		return nil, d.damaged(err)
	}
	text := bufio.NewReaderSize(&d, headerBytes)
	if begins(text, gzipMark) || begins(text, zstdMark) {
		return nil, fault.New(fault.DocumentInvalid, "the file is compressed twice", "decompress it once")
	}
	return withoutMark(text), nil
}

// Packed reports whether a file that begins so may stand for more text than it has bytes: it is compressed with gzip
// or Zstandard, a zip archive, or a page, which may have a run in it.
func Packed(head []byte) bool {
	return slices.ContainsFunc([]string{gzipMark, zstdMark, zipMark, "<"}, func(mark string) bool {
		return bytes.HasPrefix(head, []byte(mark))
	})
}

// begins reports whether a text begins with a mark.
func begins(text *bufio.Reader, mark string) bool {
	head, _ := text.Peek(len(mark)) // an error comes again with the next read
	return string(head) == mark
}

func withoutMark(text *bufio.Reader) *bufio.Reader {
	if begins(text, bomMark) {
		_, _ = text.Discard(len(bomMark))
	}
	return text
}

// decompressed reads a compressed file.
type decompressed struct {
	from       io.Reader
	format     string
	left, most int64
}

// Read implements io.Reader.
func (d *decompressed) Read(p []byte) (int, error) {
	n, err := d.from.Read(p)
	if d.left -= int64(n); d.left < 0 {
		return 0, fault.New(fault.Limit, "the file has more than "+strconv.FormatInt(d.most, 10)+
			" bytes when it is decompressed", "divide it")
	}
	if err != nil && err != io.EOF {
		err = d.damaged(err)
	}
	return n, err
}

func (d *decompressed) damaged(err error) error {
	return fault.Wrap(fault.DocumentInvalid, err, "the "+d.format+" file is damaged or cut short", "copy it again")
}

// IsCompact reports whether a text is a history in the compact form, which need not be in memory as
// a whole to find out. It takes nothing from the reader.
func IsCompact(text *bufio.Reader) bool {
	head, _ := text.Peek(headerBytes)
	line, _, whole := bytes.Cut(head, []byte("\n"))
	if !whole {
		return false
	}
	kind, err := kindOf(line)
	return err == nil && kind == History
}
