package runfile

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/canon"
)

// File is a run with the answers that its page shows. The zero value is empty.
type File struct {
	Name     string
	Redacted string // how many places were redacted, "" for a page that leaves nothing out
	archive  Runs
	texts    map[string]int // its list of pieces
	lists    []Runs
	kinds    map[string]*lastText // the last text of each kind
	states   []State
	placed   lists // of rows
	rows     []Row
	pieces   pieces
}

// State is a state of the run: the blocks that its thread has, as indexes of rows.
type State struct {
	At   string `json:"at"`   // @c12 or working
	Rows int    `json:"rows"` // the list of their indexes
}

// Row describes a version of a block, without its place in a thread.
type Row struct {
	Block  json.RawMessage `json:"block"`  // as a list of blocks has it
	Object Runs            `json:"object"` // what the canonical thread has of it
	Node   string          `json:"node"`   // the text that tells of it
	Cycle  int64           `json:"cycle"`  // at which that was asked
}

// contents is a File as it is written, before its pieces.
type contents struct {
	Name    string         `json:"name"`
	States  []State        `json:"states"`
	Rows    []Row          `json:"rows"`
	Texts   map[string]int `json:"texts"`
	Lists   []Runs         `json:"lists"`
	Archive Runs           `json:"archive"`
}

// SetArchive keeps the run itself: a history in the compact form, which a later import reads.
func (f *File) SetArchive(text []byte) { f.archive = f.pieces.add(text) }

// SetText keeps a text under a name. A text that is not UTF-8 is left out, and ok is false. One of a state, whose name has
// the address behind its first word, costs what is new since the last of its kind, and comparing the two.
func (f *File) SetText(name string, text []byte) (ok bool) { return f.SetNext(name, text, 0) }

// SetNext is SetText for a text of which the caller knows that so many bytes, whole characters, are those with which the
// last of its kind begins: they are not compared.
func (f *File) SetNext(name string, text []byte, same int) (ok bool) {
	if !utf8.Valid(text[same:]) {
		return false
	}
	if f.texts == nil {
		f.texts, f.kinds = map[string]int{}, map[string]*lastText{}
	}
	g, begins := &lastText{}, 0
	if kind, rest, _ := strings.Cut(name, " "); strings.HasPrefix(rest, "@") {
		_, rest, _ = strings.Cut(rest, " ")
		if kind += " " + rest; f.kinds[kind] == nil {
			f.kinds[kind] = g
		} else {
			g, begins = f.kinds[kind], same
		}
	}
	f.texts[name] = f.pieces.next(g, &f.lists, text, begins)
	return true
}

// SetAgain keeps a text under one more name.
func (f *File) SetAgain(name, of string) { f.texts[name] = f.texts[of] }

// AddRow keeps a row with its object in the canonical thread, and returns its index.
func (f *File) AddRow(r Row, object []byte) int {
	r.Object = f.pieces.add(object)
	f.rows = append(f.rows, r)
	return len(f.rows) - 1
}

// AddState keeps a state and the indexes of its rows; they come in the order of their cycles.
func (f *File) AddState(at string, rows []int) {
	f.states = append(f.states, State{at, f.placed.add(&f.lists, rows, 0)})
}

// Encode returns the file as it stands in a page: compressed and in base64, which has no character that HTML
// knows.
func (f *File) Encode() (string, error) {
	var packed bytes.Buffer
	to := base64.NewEncoder(base64.StdEncoding, &packed)
	w, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer // a part of the whole, which is many times as long as what is packed
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(contents{f.Name, f.states, f.rows, f.texts, f.lists, f.archive}); err != nil {
		return "", err
	}
	text.Truncate(text.Len() - len("}\n"))
	text.WriteString(`,"pieces":[`)
	for i, piece := range f.pieces.list {
		if i > 0 {
			text.WriteByte(',')
		}
		if err := e.Encode(piece); err != nil {
			return "", err
		}
		text.Truncate(text.Len() - len("\n"))
		if text.Len() < 64<<10 {
			continue
		}
		if _, err := text.WriteTo(w); err != nil {
			return "", err
		}
	}
	text.WriteString("]}\n")
	if _, err := text.WriteTo(w); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	err = to.Close() // which writes the rest to packed
	return packed.String(), err
}

// Mark is how a page of a run begins; IsPage looks for it.
const Mark = "<!doctype html><!-- a run of PACT, with its history -->\n"

// Begin and end of the data in a page.
const (
	Begin = "<script type=\"application/octet-stream\" id=\"run\" data-name=\""
	End   = "</script>"
)

// IsPage reports whether a text is the page of a run.
func IsPage(text []byte) bool { return bytes.HasPrefix(text, []byte(Mark)) }

// Archive returns the history in the page of a run, of most bytes at most. E_DOCUMENT_INVALID if the page is
// damaged, E_LIMIT if there is more.
func Archive(ctx context.Context, page []byte, most int64) ([]byte, error) {
	_, rest, found := bytes.Cut(page, []byte(Begin))
	_, rest, named := bytes.Cut(rest, []byte(">"))
	data, _, ends := bytes.Cut(rest, []byte(End))
	if !found || !named || !ends {
		return nil, damaged(nil)
	}
	from, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(data)))
	if err != nil {
		return nil, damaged(err)
	}
	text, release, err := budget.ReadAll(ctx, io.LimitReader(from, most+1))
	defer release()
	switch {
	case fault.CodeOf(err) != "" || ctx.Err() != nil:
		return nil, cmp.Or(err, ctx.Err())
	case err != nil:
		return nil, damaged(err)
	case int64(len(text)) > most:
		return nil, fault.New(fault.Limit, "the page has more than "+strconv.FormatInt(most, 10)+" bytes when it is decompressed",
			"import the history or the log that the page was made of")
	}
	decoded, err := budget.Reserve(ctx, canon.Weight(text))
	if err != nil {
		return nil, err
	}
	defer decoded()
	var c struct {
		Pieces  []string `json:"pieces"`
		Archive Runs     `json:"archive"`
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, damaged(err)
	}
	return join(ctx, c.Pieces, c.Archive, most)
}

func damaged(err error) error {
	const what, remedy = "the page of the run is damaged or cut short", "copy it again"
	if err == nil {
		return fault.New(fault.DocumentInvalid, what, remedy)
	}
	return fault.Wrap(fault.DocumentInvalid, err, what, remedy)
}
