package intake

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/contexttree/pact/internal/record/calllog"
)

// inMemory is how many bytes of text a file may have that is always read into memory.
const inMemory = 8 << 20

// File is the text of a file: in memory, or a log of requests that stays in a file. Close it when its
// calls are recorded.
type File struct {
	Text []byte       // nil for a log that stays in a file
	Log  *calllog.Log // nil for a text in memory
	file *os.File     // what the log is read from
	temp bool         // file is a temporary file that has a name yet
}

// Read reads a file as [Open] and [Text] do, but leaves a large log of requests in its file: such a log
// takes the memory of one call at a time, whatever its size. What is compressed or no file on disk goes
// to a temporary file first, if it is large.
func Read(ctx context.Context, from io.Reader, most int64) (*File, error) {
	if file, ok := from.(*os.File); ok {
		log, err := requestsIn(ctx, file)
		if err != nil {
			return nil, err
		}
		if log != nil {
			return &File{Log: log, file: file}, nil
		}
	}
	text, err := Open(from, most)
	if err != nil {
		return nil, err
	}
	head, err := io.ReadAll(io.LimitReader(text, inMemory+1))
	if err != nil {
		return nil, err
	}
	all := io.Reader(bytes.NewReader(head))
	if len(head) > inMemory && !bytes.HasPrefix(head, []byte(zipMark)) {
		f, err := spooled(ctx, io.MultiReader(all, text))
		if err != nil || f.Log != nil {
			return f, err
		}
		all = f.file
		defer f.Close()
	}
	data, err := Text(ctx, bufio.NewReader(all), most)
	return &File{Text: data}, err
}

// spooled puts a text into a temporary file, and looks whether it is a log of requests.
func spooled(ctx context.Context, text io.Reader) (f *File, err error) {
	file, err := os.CreateTemp("", "pact-import-*")
	if err != nil {
		return nil, err
	}
	f = &File{file: file, temp: os.Remove(file.Name()) != nil} // some systems remove no open file
	if _, err = io.Copy(file, text); err == nil {
		f.Log, err = requestsIn(ctx, file)
	}
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Close closes the file from which calls are read.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	if f.temp {
		err = errors.Join(err, os.Remove(f.file.Name()))
	}
	f.file = nil
	return err
}

// requestsIn reads a large plain file that is a log of requests; nil for any other.
func requestsIn(ctx context.Context, file *os.File) (*calllog.Log, error) {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() <= inMemory {
		return nil, err
	}
	mark := make([]byte, len(zstdMark))
	if _, err := file.ReadAt(mark, 0); err != nil {
		return nil, err
	}
	if head := string(mark); strings.HasPrefix(head, gzipMark) || strings.HasPrefix(head, bomMark) || head == zstdMark ||
		head == zipMark {
		return nil, nil
	}
	held := int64(0)
	return calllog.ReadRequests(file, info.Size(), func(c *calllog.Call) error {
		past := pastCall(c, 0)
		return cmp.Or(past.Check(), holdRequest(ctx, c, &held))
	})
}
