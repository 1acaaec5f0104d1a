package inspect

// Copied says what a copy from one store to another copied.
type Copied struct {
	Contexts []CopiedContext `json:"contexts"` // origins before their forks
	// Shared counts the lines of history that were not copied as contexts, and of which
	// copied forks share a part.
	Shared int `json:"shared"`
}

// CopiedContext is one context that was copied.
type CopiedContext struct {
	Name      string `json:"name"`
	Snapshots int64  `json:"snapshots"` // including those that it shares with its origin
	Revisions int64  `json:"revisions"` // likewise
	Attempts  int    `json:"attempts"`  // not including those that it shares
	Resumed   int64  `json:"resumed"`   // how many of its own revisions an interrupted copy had copied
}
