package intake

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/safefile"
)

// inMemory is how many bytes of text a file may have that is always read into memory.
const inMemory = 8 << 20

// File is the text of a file: in memory, or a log of requests or a history that stays in a file. Close it
// when it was read.
type File struct {
	Data    []byte       // nil for what stays in a file
	log     *calllog.Log // nil for anything but a log that stays in a file
	compact bool         // a history in the compact form stays in the file, or arrives
	from    io.Reader    // of a history that arrives, nil for any other file
	file    *os.File     // the open file, nil for none
	at      int64        // where the text begins in it, behind a byte order mark
	temp    io.Closer    // the temporary file that file is, nil for none
	made    io.Closer    // the temporary file with what is made of a log, nil for none
}

// Arriving returns a history that is read as it arrives, once.
func Arriving(text io.Reader) *File { return &File{compact: true, from: text} }

// Reader returns the text from its beginning, unless it is a log that stays in its file.
func (f *File) Reader() io.Reader {
	if f.from != nil {
		return f.from
	}
	if f.compact {
		return io.NewSectionReader(f.file, f.at, math.MaxInt64-f.at)
	}
	return bytes.NewReader(f.Data)
}

// ReadsLazily reports whether calls or lines are read from the file as they are needed.
func (f *File) ReadsLazily() bool { return f.log != nil || f.compact }

// Kind returns the kind of the file, by its contents.
func (f *File) Kind() (Kind, error) {
	switch {
	case f.log != nil:
		return Log, nil
	case f.compact:
		return History, nil
	}
	return kindOf(f.Data)
}

// Log reads the file as a log.
func (f *File) Log() (*calllog.Log, error) {
	if f.log != nil {
		return f.log, nil
	}
	log, err := calllog.Read(f.Data)
	if err == nil && len(f.Data) > inMemory { // the log has all that is needed of it
		f.log, f.Data = log, nil
	}
	return log, err
}

// selectSession returns the log with the one session that Only names.
func (o *Options) selectSession(log *calllog.Log) (*calllog.Log, error) {
	i := slices.IndexFunc(log.Sessions, func(s calllog.Session) bool { return s.Name == o.Only })
	if i < 0 {
		return nil, o.chooseOne(fault.SnapshotNotFound, "the log has no session "+strconv.Quote(o.Only), log)
	}
	one := *log
	one.Sessions = log.Sessions[i : i+1]
	return &one, nil
}

// chooseOne returns the error for a file of several sessions none of which is named.
func (o *Options) chooseOne(code fault.Code, message string, log *calllog.Log) error {
	const most = 5
	var names []string
	for _, s := range log.Sessions[:min(most, len(log.Sessions))] {
		if s.Name != "" {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return fault.New(code, message, "the file has one conversation, which has no name: ask for it without a name")
	}
	if len(log.Sessions) > most {
		names = append(names, "…")
	}
	return fault.New(code, message, "choose one "+cmp.Or(o.Choose, "by its name")+": "+strings.Join(names, ", "))
}

// Read reads a file as [Open] and [Text] do, but leaves a large log of requests in its file, and a large
// history in the compact form: such a log takes the memory of one call at a time, whatever its size, and a
// history is read line by line. A plain file on disk may be larger than most. A compressed log, and one that is no file on disk, goes to a temporary file first if it
// is large.
func Read(ctx context.Context, from io.Reader, most int64) (*File, error) {
	plain := false
	if file, ok := from.(*os.File); ok {
		f := &File{file: file}
		size, err := f.detectLines(ctx)
		if err != nil || f.ReadsLazily() {
			return f, err
		}
		plain, most = size > 0, max(most, size)
	}
	text, err := Open(from, most)
	if err != nil {
		return nil, err
	}
	if plain {
		data, err := Text(ctx, text, most)
		return &File{Data: data}, err
	}
	head, err := io.ReadAll(io.LimitReader(text, inMemory+1))
	if err != nil {
		return nil, err
	}
	all := io.Reader(bytes.NewReader(head))
	if len(head) > inMemory && !bytes.HasPrefix(head, []byte(zipMark)) {
		f, err := spooled(ctx, &bounded{io.MultiReader(all, text), most, most})
		if err != nil || f.ReadsLazily() {
			return f, err
		}
		all = f.file
		defer f.Close()
	}
	data, err := Text(ctx, bufio.NewReader(all), most)
	return &File{Data: data}, err
}

// spooled puts a text into a temporary file, and looks whether it can stay there.
func spooled(ctx context.Context, text io.Reader) (f *File, err error) {
	temp, err := temporary()
	if err != nil {
		return nil, err
	}
	f = &File{file: temp.File, temp: temp}
	if _, err = io.Copy(temp, text); err == nil {
		_, err = f.detectLines(ctx)
	}
	if err == nil {
		_, err = temp.Seek(0, io.SeekStart)
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
	closer := io.Closer(f.file)
	if f.temp != nil {
		closer = f.temp
	}
	f.file = nil
	err := closer.Close()
	if f.made != nil {
		err = errors.Join(err, f.made.Close())
	}
	return err
}

// spool makes the temporary file for what is made of a log.
func (f *File) spool() (calllog.Spool, error) {
	made, err := temporary()
	if err == nil {
		f.made = made
	}
	return made, err
}

// temporary makes a temporary file.
func temporary() (*safefile.Unnamed, error) {
	made, err := safefile.NewUnnamed("pact-import-*")
	if err != nil {
		return nil, fault.New(fault.Store, "no temporary file can be made: "+err.Error(), "set TMPDIR to a folder that can be written to")
	}
	return made, nil
}

// detectLines finds out whether a large plain file is a log in lines or a history in the compact form, and returns its
// size; 0 for another file.
func (f *File) detectLines(ctx context.Context) (size int64, err error) {
	info, err := f.file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() <= inMemory {
		return 0, err
	}
	mark := make([]byte, len(zstdMark))
	if _, err := f.file.ReadAt(mark, 0); err != nil {
		return 0, err
	}
	if Packed(mark) {
		return 0, nil
	}
	size = info.Size()
	if strings.HasPrefix(string(mark), bomMark) {
		f.at = int64(len(bomMark))
	}
	if f.compact = IsCompact(bufio.NewReader(io.NewSectionReader(f.file, f.at, headerBytes))); f.compact {
		return size, nil
	}
	held := int64(0)
	text := io.NewSectionReader(&growingFile{f.file, info}, f.at, size-f.at)
	f.log, err = calllog.ReadFile(text, text.Size(), calllog.FileOptions{Spool: f.spool,
		Check: func(c *calllog.Call) error { return cmp.Or(checkCall(c, nil), holdRequest(ctx, c, &held)) },
		Hold: func(memory int64) error {
			_, err := budget.Reserve(ctx, memory)
			return err
		}})
	if f.log == nil && f.made != nil { // nobody closes a file that does not stay
		err, f.made = cmp.Or(err, f.made.Close()), nil
	}
	return size, err
}
