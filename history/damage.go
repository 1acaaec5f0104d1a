package history

// Damage is something in a store that differs from what was written. It is the cause of the
// E_STORE that a reader gets.
type Damage struct {
	NoCycle  bool     // the store cannot tell which cycle is damaged
	Cycle    int64    // the damaged cycle
	Node     string   // id of the damaged node, "" if it is not known
	Suspects []string // if Node is "": ids of nodes, one of which is damaged, if they are few
	What     string   // what is damaged, in words
	Recorded string   // what it should be, "" if the store does not know
	Found    string   // what it is
	// Derived says that the store made the damaged part from rows that are sound, so that
	// readers get right answers without it and the store can make it again.
	Derived bool
}

// Error says what is damaged.
func (d *Damage) Error() string {
	if d.Recorded == "" {
		return d.What
	}
	return d.What + ": recorded is " + d.Recorded + ", found " + d.Found
}
