package inspect

// Migrated says what became of the selector of a rule that a context keeps, in another edition.
type Migrated struct {
	Cycle  int64    `json:"cycle,omitempty"`  // of the first snapshot that has it; 0 if the working state has it
	Rule   int      `json:"rule"`             // its number, from 1; 0 if the policy as a whole cannot be read
	From   string   `json:"from"`             // as it is
	To     string   `json:"to,omitempty"`     // in the other edition; "" if it cannot be written there
	Doubts []string `json:"doubts,omitempty"` // what does not mean the same for sure
}
