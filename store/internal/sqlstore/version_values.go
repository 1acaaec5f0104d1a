package sqlstore

import (
	"github.com/contexttree/pact/store/internal/page"
	"github.com/contexttree/pact/tree"
)

// The indexes of the columns of versionRows and packRows.
const (
	colBirth      = 1
	colNID        = 2
	colDeath      = 3
	colParent     = 4
	colID         = 5
	colType       = 6
	colOffset     = 7
	colPriority   = 8
	colIntroduced = 9
	colCreated    = 10
	colISO        = 11
	colIndex      = 12
	colExpiry     = 13
	colHeaders    = 14
	colContent    = 15
	colSize       = 16
	colHash       = 17
	colNamed      = 18
	colProof      = 19
	colBody       = 20 // of packRows
)

// rowOf returns the row in the values of versionRows.
func rowOf(values []any) page.Row {
	number := func(i int) int64 { n, _ := values[i].(int64); return n }
	text := func(i int) string { s, _ := values[i].(string); return s }
	r := page.Row{Birth: number(colBirth), NID: number(colNID), Death: text(colDeath)}
	if r.Dead() {
		return r
	}
	r.Parent, r.ID, r.Type, r.Offset, r.Priority = number(colParent), text(colID), text(colType), number(colOffset),
		number(colPriority)
	r.Cycle, r.CreatedNS, r.ISO, r.Index, r.Expiry = number(colIntroduced), number(colCreated), text(colISO),
		number(colIndex), tree.Never
	if expiry, mortal := values[colExpiry].(int64); mortal {
		r.Expiry = expiry
	}
	r.Headers, r.Size, r.Named = text(colHeaders), int(number(colSize)), number(colNamed) != 0
	r.Hash, _ = values[colHash].([]byte)
	return r
}

// valuesOf returns the values of versionRows for a row in a page. The number of a content is 0;
// there is no proof.
func valuesOf(branch int64, r *page.Row) []any {
	values := make([]any, rowParams)
	values[0], values[colBirth], values[colNID] = branch, r.Birth, r.NID
	if r.Dead() {
		values[colDeath] = r.Death
		return values
	}
	if r.Parent != 0 {
		values[colParent] = r.Parent
	}
	values[colID], values[colType], values[colOffset], values[colPriority] = r.ID, r.Type, r.Offset, r.Priority
	values[colIntroduced], values[colCreated], values[colISO] = r.Cycle, r.CreatedNS, orNull(r.ISO)
	values[colIndex] = r.Index
	if r.Expiry != tree.Never {
		values[colExpiry] = r.Expiry
	}
	if values[colHeaders] = orNull(r.Headers); r.Size > 0 {
		values[colContent], values[colSize] = int64(0), int64(r.Size)
	}
	if r.Hash != nil {
		values[colHash] = r.Hash
	}
	if r.Named {
		values[colNamed] = int64(1)
	}
	return values
}
