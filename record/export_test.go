package record

import "time"

// SetPatience sets how long a request waits for decisions, for a test.
func SetPatience(d time.Duration) { patience = d }

// SetMostPatience sets how long a request waits for a decision that the store is making durable, for a test.
func SetMostPatience(d time.Duration) { mostPatience = d }
