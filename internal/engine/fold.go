package engine

import (
	"slices"
	"sort"
)

// folded leaves one delta for each snapshot that the records publish: that of the record that
// published it. No reader asks for the drafts in between. It folds the records behind the last snapshot into the
// last of them.
func folded(list []*record) []record {
	out := make([]record, len(list))
	first := 0
	for i, x := range list {
		out[i] = *x
		out[i].gone, out[i].rows, out[i].contents = nil, nil, nil
		if x.publishes() || i == len(list)-1 {
			gone, rows := fold(list[first : i+1])
			out[i].gone, out[i].rows = gone, slices.Clone(rows)
			first = i + 1
		}
	}
	return out
}

// fate tells what several deltas did to a node.
type fate struct {
	row  int  // the last of all rows with this id; -1 if there is none
	gone bool // it is not there afterwards
	new  bool // it was not there before
}

// fold combines deltas.
func fold(list []*record) (gone []string, out []row) {
	if len(list) == 1 {
		return list[0].gone, list[0].rows
	}
	most := 0
	for _, x := range list {
		most += len(x.rows)
	}
	fates, all := make(map[string]*fate, most), make([]row, 0, most)
	of := func(id string, fresh bool) *fate {
		f := fates[id]
		if f == nil {
			f = &fate{row: -1, new: fresh}
			fates[id] = f
		}
		return f
	}
	for _, x := range list {
		for _, r := range x.rows {
			f := of(r.id, r.fresh)
			if f.row >= 0 && !f.gone && r.moved { // an earlier record has the node
				parent := r.parent
				r = all[f.row]
				r.parent = parent
			}
			r.fresh = f.new
			f.row, f.gone = len(all), false
			all = append(all, r)
		}
		for _, id := range x.gone {
			of(id, false).gone = true
		}
	}
	left := 0
	for i := range all {
		if f := fates[all[i].id]; f.row == i && !f.gone {
			left++
		}
	}
	out = make([]row, 0, left)
	placed := make(map[string]bool, left)
	var put func(i int)
	put = func(i int) {
		r := &all[i]
		if placed[r.id] {
			return
		}
		placed[r.id] = true
		if above := fates[r.parent]; above != nil && !above.gone && above.row >= 0 {
			put(above.row)
		}
		out = append(out, *r)
	}
	for i := range all {
		if f := fates[all[i].id]; f.row == i && !f.gone {
			put(i)
		}
	}
	for id, f := range fates {
		if f.gone && !f.new {
			gone = append(gone, id)
		}
	}
	sort.Strings(gone)
	return gone, out
}
