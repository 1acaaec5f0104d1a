package record

import "time"

// SetPatience sets how long a request waits for decisions, for a test.
func SetPatience(d time.Duration) { patience = d }
