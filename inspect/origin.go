package inspect

// Origin is the snapshot from which a context was forked.
type Origin struct {
	Name     string `json:"name,omitempty"` // the current name of the origin, "" if it was deleted
	Cycle    int64  `json:"cycle"`          // the cycle of the snapshot
	Revision int64  `json:"-"`              // the first revision that belongs to the fork alone
}
