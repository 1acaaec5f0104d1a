package calllog

import (
	"bytes"
	"unicode/utf8"

	"github.com/contexttree/pact/fault"
)

// Text returns the text of a file without a byte order mark. E_DOCUMENT_INVALID with the kind of the
// file if it is no UTF-8 text.
func Text(data []byte) ([]byte, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if kind, remedy := binaryKind(data); kind != "" {
		return nil, fault.New(fault.DocumentInvalid, "the file is "+kind+", not a text", remedy)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fault.New(fault.DocumentInvalid, "the file is empty", "choose one that something was written to")
	}
	return data, nil
}

// everyOther reports whether every other byte is zero, as in UTF-16 of ASCII: nine in ten of one half, few of the other.
func everyOther(head []byte) bool {
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	half := len(head) / 2
	return half > 1 && max(zeros[0], zeros[1])*10 >= half*9 && min(zeros[0], zeros[1])*10 <= half
}

// binaryKinds are the kinds of files that people take for logs, by how they begin.
var binaryKinds = []struct{ begins, kind, remedy string }{
	{"PK\x03\x04", "a zip archive", "unpack it first"},
	{"SQLite format 3\x00", "an SQLite database", "if pact wrote it, name it as the store; else export its rows as JSON"},
	{"\x1f\x8b", "compressed with gzip", "decompress it: gunzip"},
	{"\x28\xb5\x2f\xfd", "compressed with Zstandard", "decompress it: zstd -d"},
	{"BZh", "compressed with bzip2", "decompress it: bunzip2"},
	{"\xfd7zXZ\x00", "compressed with xz", "decompress it: unxz"},
	{"\xff\xfe", "UTF-16", "save it as UTF-8"},
	{"\xfe\xff", "UTF-16", "save it as UTF-8"},
	{"%PDF-", "a PDF", ""},
	{"\x89PNG", "a PNG image", ""},
	{"\xff\xd8\xff", "a JPEG image", ""},
	{"\x7fELF", "a program", ""},
	{"PAR1", "a Parquet table", "export its rows as JSON Lines"},
}

// binaryKind names the kind of a file that is not UTF-8 text; "" for a text.
func binaryKind(data []byte) (kind, remedy string) {
	for _, k := range binaryKinds {
		if bytes.HasPrefix(data, []byte(k.begins)) {
			return k.kind, k.remedy
		}
	}
	const looked = 4 << 10
	head := data[:min(len(data), looked)]
	if zeros := bytes.Count(head, []byte{0}); zeros > 0 {
		text := bytes.TrimLeft(data, "\x00 \t\r\n")
		switch {
		case everyOther(head):
			return "UTF-16", "save it as UTF-8"
		case len(text) == 0:
			return "nothing but zero bytes", "a power failure leaves a file so: look for a copy of it"
		case text[0] != '{' && text[0] != '[':
			return "a binary file", ""
		}
		return "", "" // JSON with a damaged part
	}
	for i := 0; i < len(head); {
		r, size := utf8.DecodeRune(head[i:])
		if r == utf8.RuneError && size == 1 && (len(data) == len(head) || i < len(head)-utf8.UTFMax) {
			if i < 16 {
				return "a binary file", "" // no text begins so
			}
			break // the parser says where it is
		}
		i += size
	}
	return "", ""
}
