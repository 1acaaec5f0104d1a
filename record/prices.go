package record

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
)

// Prices lists what providers charge on one day.
type Prices struct {
	AsOf     string  `json:"as_of"`    // a date
	Currency string  `json:"currency"` // such as USD
	Models   []Price `json:"models"`   // the first entry that fits a model counts
}

// Price is the price of a million tokens.
type Price struct {
	// Model is the name of the model, which also stands for that name with the date of a version behind it, such
	// as -20251101 or -2026-03-05. A name that ends in - stands for all that begin with it.
	Model        string  `json:"model"`
	Input        float64 `json:"input"`
	Output       float64 `json:"output"`
	CacheRead    float64 `json:"cache_read"`
	CacheWrite   float64 `json:"cache_write"`    // 0: the price of input
	CacheWrite1h float64 `json:"cache_write_1h"` // for writes that live an hour; 0: the price of the other writes
	// Window is how many tokens a request may have, 0 if the list does not say.
	Window int64  `json:"window,omitempty"`
	Source string `json:"source,omitempty"` // the page where these prices were read
}

// ReadPrices reads a list of prices from JSON. E_DOCUMENT_INVALID if it has no
// day or no currency, has unknown fields, or has a price below 0.
func ReadPrices(text []byte) (*Prices, error) {
	var p Prices
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(&p)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			return nil, badPrices("something follows it", nil)
		}
	}
	switch {
	case err != nil:
		return nil, badPrices("it cannot be read", err)
	case p.AsOf == "" || p.Currency == "":
		return nil, badPrices("it has no as_of or no currency", nil)
	}
	for i := range p.Models {
		m := &p.Models[i]
		if m.Model == "" || min(m.Input, m.Output, m.CacheRead, m.CacheWrite, m.CacheWrite1h) < 0 {
			return nil, badPrices("a model has no name or a price below 0", nil)
		}
		if m.CacheWrite == 0 {
			m.CacheWrite = m.Input
		}
		if m.CacheWrite1h == 0 {
			m.CacheWrite1h = m.CacheWrite
		}
	}
	return &p, nil
}

func badPrices(why string, err error) error {
	const remedy = `{"as_of":"2026-11-01","currency":"USD","models":[` +
		`{"model":"gpt-","input":2,"output":8,"cache_read":0.2}]}`
	if err != nil {
		return fault.Wrap(fault.DocumentInvalid, err, "this is not a list of prices: "+why, "such as "+remedy)
	}
	return fault.New(fault.DocumentInvalid, "this is not a list of prices: "+why, "such as "+remedy)
}

// Paid returns the cost of a call of a model with the counts of the provider, nil where [Prices.Cost] returns
// none.
func (p *Prices) Paid(model string, told *inspect.ProviderCache) *float64 {
	cost := p.Cost(nil, &inspect.CallPrefix{Model: model, Provider: told})
	if cost == nil {
		return nil
	}
	return &cost.Paid
}

// Cost returns the cost of a call, nil if the list has no price for its model or the provider did not report its
// tokens or how many of them came from its cache. before is the previous call, nil for the first.
func (p *Prices) Cost(before, call *inspect.CallPrefix) *inspect.CallCost {
	price, known := p.Model(call.Model)
	u := call.Provider
	if !known || u == nil || u.In == nil || u.Read == nil {
		return nil
	}
	read, written, hour, out := *u.Read, or0(u.Written), or0(u.Written1h), or0(u.Out)
	c := &inspect.CallCost{Currency: p.Currency}
	c.Paid = (float64(*u.In-read-written)*price.Input + float64(read)*price.CacheRead +
		float64(written-hour)*price.CacheWrite + float64(hour)*price.CacheWrite1h + float64(out)*price.Output) / Million
	if before != nil && (before.Provider == nil || before.Provider.Read == nil) {
		return c
	}
	c.Lost = new(float64)
	if before == nil {
		return c
	}
	if lost := cachedAfter(before.Provider) - read; lost > 0 {
		again := price.Input
		switch {
		case hour > 0:
			again = price.CacheWrite1h
		case written > 0:
			again = price.CacheWrite
		}
		*c.Lost = max(0, float64(lost)*(again-price.CacheRead)/Million)
	}
	return c
}

// cachedAfter returns how many tokens of a call were in the cache afterwards; u says how many
// the provider read.
func cachedAfter(u *inspect.ProviderCache) int64 {
	if u.Written != nil {
		return *u.Read + *u.Written
	}
	return or0(u.In)
}

// Million is how many tokens a Price is for.
const Million = 1e6

// Model returns the price of a model, false if the list has none.
func (p *Prices) Model(name string) (Price, bool) {
	if p == nil {
		return Price{}, false
	}
	i := slices.IndexFunc(p.Models, func(m Price) bool { return m.isOf(name) })
	if i < 0 {
		return Price{}, false
	}
	return p.Models[i], true
}

// isOf reports whether the price is that of a model: gpt-5.5-mini does not cost what gpt-5.5 costs.
func (m *Price) isOf(model string) bool {
	version, begins := strings.CutPrefix(model, m.Model)
	if !begins || version == "" || strings.HasSuffix(m.Model, "-") {
		return begins
	}
	for _, form := range []string{"-20060102", "-2006-01-02"} {
		if _, err := time.Parse(form, version); err == nil {
			return true
		}
	}
	return false
}

func or0(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
