package inspect

// Copied says what a copy from one store to another brought.
type Copied struct {
	Contexts []CopiedContext `json:"contexts"` // origins before their forks
	// Shared counts the lines of history that are no context of the copy, and of
	// which its forks share a part.
	Shared int `json:"shared"`
}

// CopiedContext is one context that was copied.
type CopiedContext struct {
	Name      string `json:"name"`
	Snapshots int64  `json:"snapshots"` // those that it shares included
	Revisions int64  `json:"revisions"` // likewise
	Attempts  int    `json:"attempts"`  // without those that it shares
	Resumed   int64  `json:"resumed"`   // revisions of its own that an interrupted copy had brought
}
