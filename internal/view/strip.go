package view

import (
	"maps"
	"slices"
)

// strip holds the first columns of a picture as they were drawn. A later picture of the same
// context takes these columns over, so that a new call costs what is new in it.
type strip struct {
	from, step, unit int64 // the first cycle, calls of a column, height of a row
	columns          []stripColumn
	bands            []drawn // of the last of the columns
	actors           []string
	numbers          map[string]int // of the actors
}

// stripColumn is a column of a strip: what decides its bands, and these.
type stripColumn struct {
	cycle        int64
	common, keep int
	bands        []Band
}

// strips are those that were drawn last; the latest comes first.
type strips []*strip

// mostStrips is how many strips a reader keeps. A picture that is drawn in several sizes until
// it is short enough needs one for each size.
const mostStrips = 6

// find returns the strip whose columns are the first of a list, nil if there is none.
func (s strips) find(from, step, unit int64, list []Column) *strip {
	for _, k := range s {
		if k.from == from && k.step == step && k.unit == unit && k.isPrefixOf(list) {
			return k
		}
	}
	return nil
}

// isPrefixOf reports whether the columns of k are the first of a list.
func (k *strip) isPrefixOf(list []Column) bool {
	if len(k.columns) > len(list) {
		return false
	}
	for i, c := range k.columns {
		if c.cycle != list[i].Cycle || c.common != list[i].common {
			return false
		}
	}
	return true
}

// put keeps a strip instead of the one that it goes on from, which may be nil.
func (s *strips) put(k, instead *strip) {
	list := slices.DeleteFunc(*s, func(other *strip) bool { return other == instead })
	*s = slices.Insert(list, 0, k)
	if len(*s) > mostStrips {
		clear((*s)[mostStrips:])
		*s = (*s)[:mostStrips]
	}
}

// stripOf returns the first columns of a picture as a strip. s has drawn the last of them.
func stripOf(p *Picture, s *stack, a *actors, columns int) *strip {
	k := &strip{from: p.From, step: p.Step, unit: s.unit, columns: make([]stripColumn, columns),
		bands: slices.Clone(s.bands), actors: slices.Clone(p.Actors), numbers: maps.Clone(a.numbers)}
	for i := range k.columns {
		c := &p.Columns[i]
		k.columns[i] = stripColumn{c.Cycle, c.common, c.Keep, c.Bands}
	}
	return k
}

// restore puts the columns of k into the picture that s and a draw, and returns how many.
func (k *strip) restore(s *stack, a *actors) int {
	for i, c := range k.columns {
		a.picture.Columns[i].Keep, a.picture.Columns[i].Bands = c.keep, c.bands
	}
	a.picture.Actors, a.numbers = slices.Clone(k.actors), maps.Clone(k.numbers)
	s.bands = slices.Clone(k.bands)
	return len(k.columns)
}
