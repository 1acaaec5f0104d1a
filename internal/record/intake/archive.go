package intake

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/canon"
	"github.com/klauspost/compress/zstd"
)

// zipMark is how a zip archive begins. Inspect writes its logs as such archives, NAME.eval.
const zipMark = "PK\x03\x04"

// The members of a log of Inspect. The head is the log without its samples; as long as the
// evaluation goes on, only the journal has one.
const (
	evalHead    = "header.json"
	evalJournal = "_journal/start.json"
	evalSamples = "samples/"
)

// inspectLog returns the log of Inspect in a zip archive as the JSON that Inspect writes of it.
// E_DOCUMENT_INVALID with the name of the member if the archive is damaged, or for an archive of
// something else; E_LIMIT for more than most bytes of JSON, or than the budget of ctx has.
func inspectLog(ctx context.Context, data []byte, most int64) ([]byte, error) {
	files, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fault.Wrap(fault.DocumentInvalid, err, "the zip archive is damaged or cut short", "copy it again")
	}
	files.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderConcurrency(1)))
	a := archive{ctx: ctx, most: most, left: most}
	var head, journal *zip.File
	place := map[string]int{} // of a sample in samples; one that was written again counts once
	var samples []*zip.File
	for _, f := range files.File {
		switch {
		case f.Name == evalHead:
			head = f
		case f.Name == evalJournal:
			journal = f
		case strings.HasPrefix(f.Name, evalSamples) && strings.HasSuffix(f.Name, ".json"):
			at, again := place[f.Name]
			if !again {
				at = len(samples)
				place[f.Name], samples = at, append(samples, nil)
			}
			samples[at] = f
		}
	}
	ended := head != nil
	if !ended {
		head = journal
	}
	if head == nil {
		return nil, fault.New(fault.DocumentInvalid, "the file is a zip archive, and not one of Inspect", "unpack it first")
	}
	begin, err := a.member(head)
	if err != nil {
		return nil, err
	}
	log := bytes.NewBuffer(begin[:len(begin)-1])
	if !ended {
		log.WriteString(`,"status":"started"`)
	}
	log.WriteString(`,"samples":[`)
	for i, f := range samples {
		if i > 0 {
			log.WriteByte(',')
		}
		sample, err := a.member(f)
		if err != nil {
			return nil, err
		}
		log.Write(sample)
	}
	log.WriteString("]}")
	return log.Bytes(), nil
}

// archive reads the members of an archive up to a number of bytes.
type archive struct {
	ctx        context.Context
	most, left int64
}

// member returns the JSON object in a file, without space around it.
func (a *archive) member(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, damagedMember(f, err)
	}
	defer r.Close()
	text, release, err := budget.ReadAll(a.ctx, io.LimitReader(r, a.left+1))
	defer release()
	if fault.CodeOf(err) == fault.Limit {
		return nil, err
	}
	if a.left -= int64(len(text)); a.left < 0 {
		return nil, fault.New(fault.Limit, "the log has more than "+strconv.FormatInt(a.most, 10)+
			" bytes when it is decompressed", "divide it")
	}
	if err != nil {
		return nil, damagedMember(f, err)
	}
	text = bytes.TrimSpace(text)
	if _, err := budget.Reserve(a.ctx, 3*int64(len(text))); err != nil { // its canonical form, and a place in the log
		return nil, err
	}
	object, err := canon.Parse(text)
	var in *fault.Error
	switch {
	case errors.As(err, &in):
		where := *in
		where.Line = 1 + bytes.Count(text[:max(0, min(in.Offset, len(text)))], []byte("\n"))
		where.Message = f.Name + ", line " + strconv.Itoa(where.Line) + ": " + in.Message
		where.Offset = fault.NoOffset // the file has no such place: the member is compressed
		return nil, &where
	case object.Kind() != canon.KindObject || object == "{}":
		return nil, fault.New(fault.DocumentInvalid, f.Name+" in the archive is no JSON object with members",
			"have the application export it again")
	}
	return text, nil
}

func damagedMember(f *zip.File, err error) error {
	if errors.Is(err, zip.ErrAlgorithm) {
		return fault.New(fault.DocumentInvalid, f.Name+" in the archive is compressed with the unknown method "+
			strconv.Itoa(int(f.Method)), "unpack the archive and pack it again with deflate")
	}
	return fault.Wrap(fault.DocumentInvalid, err, f.Name+" in the archive is damaged", "copy the archive again")
}
