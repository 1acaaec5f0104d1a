package screen

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// Patience is how long work may take before a progress bar appears.
const Patience = time.Second

// Meter draws a progress bar on standard error if that is a terminal and the
// work takes more than a second. Otherwise it does nothing.
type Meter struct {
	on    *Screen
	label string
	began time.Time
	bar   *progressbar.ProgressBar
	shown bool
}

func (a *Screen) Meter(label string) *Meter { return &Meter{on: a, label: label, began: time.Now()} }

// Write passes on what the bar draws, once patience has run out.
func (m *Meter) Write(p []byte) (int, error) {
	if !m.shown {
		return len(p), nil
	}
	return m.on.Err.Write(p)
}

// At reports progress.
func (m *Meter) At(done, total int) {
	if !m.on.ErrTerminal {
		return
	}
	m.shown = m.shown || time.Since(m.began) >= Patience
	if m.bar == nil {
		m.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(m),
			progressbar.OptionSetDescription(m.label),
			progressbar.OptionSetWidth(30),
			progressbar.OptionShowCount(),
			progressbar.OptionThrottle(50*time.Millisecond),
			progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerPadding: "░", BarStart: "", BarEnd: ""}))
	}
	if m.bar.GetMax() != total {
		m.bar.ChangeMax(total)
	}
	_ = m.bar.Set(done)
}

// End removes the bar.
func (m *Meter) End() {
	if m.bar != nil && m.shown {
		_ = m.bar.Clear()
		m.shown = false
	}
}
