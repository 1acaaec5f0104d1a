package sums

// Sum is a number that a file gives and the same number in what was read of it.
type Sum struct {
	File int64 `json:"file"`
	Read int64 `json:"read"`
}

// Sums says what a file holds and what became of it.
type Sums struct {
	// Records are the lines of a file or the elements of its list. Read are those with a message, a note or a
	// number that was read, and those that a finding names.
	Records Sum `json:"records"`
	// Notes counts by kind what no request of a model has: settings, what a screen shows, what repeats another line.
	Notes    []Note `json:"notes,omitempty"`
	Messages Sum    `json:"messages"` // that somebody said; read if each of its texts, calls and results was
	Calls    Sum    `json:"calls"`    // of tools, different ones
	Results  Sum    `json:"results"`  // of tools, different ones
	In       Sum    `json:"input_tokens"`
	Out      Sum    `json:"output_tokens"`
	Cached   Sum    `json:"cached_tokens"`  // of the input, read from a cache
	Written  Sum    `json:"written_tokens"` // of the input, written to a cache
	Money    Money  `json:"cost_usd"`       // in dollars, as the file says it
}

// Note counts records that no request has.
type Note struct {
	Kind    string `json:"kind"`
	Records int    `json:"records"`
	Line    int    `json:"line"` // of the first
}

// Money is a sum of dollars.
type Money struct {
	File float64 `json:"file"`
	Read float64 `json:"read"`
}
