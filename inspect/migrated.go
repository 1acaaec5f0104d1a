package inspect

// Migrated says what became of the selector of a rule that a context keeps, in another edition.
type Migrated struct {
	Rule   int      `json:"rule"`             // its number, from 1
	From   string   `json:"from"`             // as it is
	To     string   `json:"to,omitempty"`     // in the other edition; "" if it cannot be written there
	Doubts []string `json:"doubts,omitempty"` // what does not mean the same for sure
}
