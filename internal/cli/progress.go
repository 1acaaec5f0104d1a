package cli

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// patience is how long work may take before a progress bar appears.
const patience = time.Second

// meter draws a progress bar on standard error if that is a terminal and the
// work takes more than a second. Otherwise it does nothing.
type meter struct {
	app   *app
	label string
	began time.Time
	bar   *progressbar.ProgressBar
	shown bool
}

func (a *app) meter(label string) *meter { return &meter{app: a, label: label, began: time.Now()} }

// Write passes on what the bar draws, once patience has run out.
func (m *meter) Write(p []byte) (int, error) {
	if !m.shown {
		return len(p), nil
	}
	return m.app.err.Write(p)
}

// at reports progress.
func (m *meter) at(done, total int) {
	if !m.app.errTerminal {
		return
	}
	m.shown = m.shown || time.Since(m.began) >= patience
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

// end removes the bar.
func (m *meter) end() {
	if m.bar != nil && m.shown {
		_ = m.bar.Clear()
		m.shown = false
	}
}
