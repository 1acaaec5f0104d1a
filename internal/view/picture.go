package view

import (
	"context"
	"encoding/json"
	"math/bits"
	"unicode/utf8"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/internal/tree"
)

// MaxAnswer is how many bytes of JSON a picture has at most.
const MaxAnswer = 200_000

// PictureOptions says what to draw.
type PictureOptions struct {
	Columns, Rows int // at most that many columns; bands lower than a row are merged
	Unit          Unit
	Counter       tree.Counter // for Tokens
	Draft         bool         // also the working state behind the latest call, if edits changed it
}

// Picture is a context as columns of bands.
type Picture struct {
	Unit    Unit     `json:"unit" enum:"bytes,tokens"`
	From    int64    `json:"from" doc:"First cycle"`
	To      int64    `json:"to" doc:"Last cycle that was committed"`
	Step    int64    `json:"step" doc:"How many calls a column stands for; its bands are those of the last of them"`
	Rows    int      `json:"rows" doc:"Rows of the highest column; fewer than asked for if the answer would be too long"`
	Max     int64    `json:"max" doc:"Height of the highest column"`
	Kinds   []string `json:"kinds" nullable:"false"`
	Actors  []string `json:"actors" nullable:"false" doc:"Who brought blocks; the empty name stands for an unknown actor"`
	Columns []Column `json:"columns" nullable:"false"`
}

// Column is a call, or several neighbouring ones.
type Column struct {
	Cycle  int64  `json:"cycle" doc:"The last call of the column"`
	Size   int64  `json:"size"`
	Shared int64  `json:"shared" doc:"Up to this height the calls repeat what stood there before"`
	Cut    *int64 `json:"cut" nullable:"true" doc:"Height of the deepest cut; null if there was none"`
	Cached *int64 `json:"cached" nullable:"true" doc:"Height up to which the provider says that it read its cache"`
	Broke  bool   `json:"broke,omitempty" doc:"The provider's counts show that it read less than the calls before had left"`
	Draft  bool   `json:"draft,omitempty" doc:"The column is the working state, which no commit has published"`
	Keep   int    `json:"keep" doc:"How many bands of the column before stand first, unchanged"`
	Bands  []Band `json:"bands" nullable:"false" doc:"The bands above these"`

	common int // blocks at the beginning that are those of the column before
}

// Draw draws a context. calls are those that [Reader.Calls] lists in the unit of o. Without a
// snapshot the picture is one column of the working state. The JSON of the picture has at
// most [MaxAnswer] bytes: a picture that would be longer gets fewer rows, then fewer columns.
//
// Cost: reading the snapshots, and a path through the tree for each band that the column
// before does not have. A picture that is too long is drawn again.
func Draw(ctx context.Context, c *pact.Context, calls []Call, o PictureOptions) (*Picture, error) {
	log, err := provenance.LogOf(c.Log(ctx, 0))
	if err != nil {
		return nil, err
	}
	d := &drawing{ctx: ctx, context: c, calls: calls, options: o, log: log, strips: new(strips)}
	return d.fit()
}

// fit draws the picture in at most [MaxAnswer] bytes.
func (d *drawing) fit() (p *Picture, err error) {
	if err := d.withDraft(); err != nil {
		return nil, err
	}
	most := int64(MaxAnswer)
	for columns, rows := d.options.Columns, d.options.Rows; ; columns, rows = coarser(columns, rows) {
		guess := d.guess(columns, rows)
		if guess > most && (columns > 1 || rows > 1) {
			continue
		}
		if p, err = d.draw(columns, rows); err != nil {
			return nil, err
		}
		text, err := json.Marshal(p)
		if err != nil || len(text) <= MaxAnswer || columns == 1 && rows == 1 {
			return p, err
		}
		most = guess * MaxAnswer / int64(len(text)) // ids are longer than the guess takes them to be
	}
}

// coarser returns the next size to try: fewer rows as long as there are enough, then fewer
// columns, then both.
func coarser(columns, rows int) (int, int) {
	const enoughRows, enoughColumns = 48, 100
	switch {
	case rows > enoughRows:
		return columns, max(enoughRows, rows*3/4)
	case columns > enoughColumns:
		return max(enoughColumns, columns*3/4), rows
	}
	return max(1, columns*3/4), max(1, rows*3/4)
}

// drawing is a picture that is being made.
type drawing struct {
	ctx     context.Context
	context *pact.Context
	calls   []Call
	options PictureOptions
	log     *provenance.Log
	draft   *draft  // nil for none
	strips  *strips // the columns drawn of the context before; drawing adds new ones
	visited int     // see stack
}

// columns groups the calls into at most n columns without their bands.
func (d *drawing) columns(n int) (list []Column, step int) {
	step = max(1, (len(d.calls)+n-1)/n)
	for i := 0; i < len(d.calls); i += step {
		group := d.calls[i:min(i+step, len(d.calls))]
		last := group[len(group)-1]
		col := Column{Cycle: last.Cycle, Size: last.Size, Shared: last.Shared, common: last.common, Bands: []Band{}}
		for _, call := range group {
			col.common, col.Shared = min(col.common, call.common), min(col.Shared, call.Shared)
			if call.Cut != nil && (col.Cut == nil || call.Cut.At < *col.Cut) {
				col.Cut = &call.Cut.At
			}
			col.Broke = col.Broke || call.Broke != nil && call.Broke.Again != nil
		}
		if a := last.Attempts; a != nil && a.Cached != nil && a.In != nil && *a.In > 0 {
			at := int64(float64(last.Size) * min(1, float64(*a.Cached)/float64(*a.In)))
			col.Cached = &at
		}
		list = append(list, col)
	}
	return list, step
}

// guess estimates the length of a picture from the sizes alone, not too high.
func (d *drawing) guess(columns, rows int) int64 {
	const ofColumn, ofBand = 70, 25
	list, _ := d.columns(columns)
	unit := unitOf(d.highest(), rows)
	length := int64(0)
	for _, col := range list {
		length += ofColumn
		blocks := int64(d.calls[col.Cycle-d.calls[0].Cycle].Blocks - col.common)
		length += ofBand * min((col.Size-min(col.Size, col.Shared))/unit/2, blocks)
	}
	return length
}

func (d *drawing) highest() (high int64) {
	if d.draft != nil {
		high = d.draft.column.Size
	}
	for _, c := range d.calls {
		high = max(high, c.Size)
	}
	return high
}

// unitOf returns the height of a row: a power of two, so that it changes only when a context has
// doubled. Another height makes all columns be drawn again, and that reads all snapshots.
func unitOf(high int64, rows int) int64 {
	unit := max(1, (high+int64(rows)-1)/int64(rows))
	return 1 << bits.Len64(uint64(unit-1))
}

// draw draws the picture with at most that many columns and rows.
func (d *drawing) draw(columns, rows int) (*Picture, error) {
	p := &Picture{Unit: d.options.Unit, Step: 1, Rows: rows, Max: d.highest(), Kinds: KindNames(),
		Actors: []string{}, Columns: []Column{}}
	s := &stack{scale: scaleOf(d.ctx, d.options.Unit, d.options.Counter), unit: unitOf(p.Max, rows)}
	defer func() { d.visited += s.visited }()
	if len(d.calls) == 0 {
		p.From, p.To = d.draft.column.Cycle, d.draft.column.Cycle
		return p, d.drawDraft(p, s, actorsOf(d.log, p))
	}
	list, step := d.columns(columns)
	list[0].common = 0
	p.From, p.To, p.Step, p.Columns = d.calls[0].Cycle, d.calls[len(d.calls)-1].Cycle, int64(step), list
	actors := actorsOf(d.log, p)
	i, before := 0, d.strips.find(p.From, p.Step, s.unit, list)
	if before != nil {
		i = before.restore(s, actors)
	}
	whole := len(d.calls) / step // the last column may get more calls
	from := list[min(i, len(list)-1)].Cycle
	for snapshot, err := range d.context.History(d.ctx, pact.Cycle(from), pact.Cycle(p.To)) {
		if err != nil {
			return nil, err
		}
		if i == len(list) || snapshot.Cycle() != list[i].Cycle {
			continue
		}
		if list[i].Keep, err = s.next(tree.Of(snapshot), list[i].common); err != nil {
			return nil, err
		}
		list[i].Bands = actors.bands(s.bands[list[i].Keep:])
		if i++; i == whole {
			d.strips.put(stripOf(p, s, actors, i), before)
		}
	}
	if d.draft != nil {
		if err := d.drawDraft(p, s, actors); err != nil {
			return nil, err
		}
	}
	return p, d.ctx.Err()
}

// actors numbers those who brought blocks.
type actors struct {
	log     *provenance.Log
	picture *Picture
	numbers map[string]int
}

func actorsOf(log *provenance.Log, p *Picture) *actors {
	return &actors{log: log, picture: p, numbers: map[string]int{}}
}

func (a *actors) bands(list []drawn) []Band {
	bands := make([]Band, len(list))
	for i := range list {
		h := &list[i].sum
		bands[i] = Band{h.height, h.kind(), h.blocks, h.first.ID, h.first.Cycle, a.number(h.first), h.largest}
	}
	return bands
}

func (a *actors) number(n *tree.Node) int {
	name := a.log.Creator(n).Actor
	k, ok := a.numbers[name]
	if !ok {
		k = len(a.picture.Actors)
		a.numbers[name] = k
		a.picture.Actors = append(a.picture.Actors, shortened(name))
	}
	return k
}

// longestActor is how many bytes of the name of an actor a picture has, because nothing else
// limits that name.
const longestActor = 200

func shortened(name string) string {
	if len(name) <= longestActor {
		return name
	}
	end := longestActor
	for !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + "…"
}
