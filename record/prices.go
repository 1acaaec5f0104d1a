package record

import (
	"bytes"
	"encoding/json"
	"io"
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

// Paid returns what a call of a model cost of which the provider counted so much, nil where [Prices.Cost] returns none.
func (p *Prices) Paid(model string, told *inspect.ProviderCache) *float64 {
	cost := p.Cost(nil, &inspect.CallPrefix{Model: model, Provider: told})
	if cost == nil {
		return nil
	}
	return &cost.Paid
}

// Cost returns what a call cost, nil if the list has no price for its model or the provider
// did not report its tokens or how many of them came from its cache. before is the previous
// call, nil for the first.
func (p *Prices) Cost(before, call *inspect.CallPrefix) *inspect.CallCost {
	price := p.of(call.Model)
	u := call.Provider
	if price == nil || u == nil || u.In == nil || u.Read == nil {
		return nil
	}
	read, written, hour, out := *u.Read, or0(u.Written), or0(u.Written1h), or0(u.Out)
	const million = 1e6
	c := &inspect.CallCost{Currency: p.Currency}
	c.Paid = (float64(*u.In-read-written)*price.Input + float64(read)*price.CacheRead +
		float64(written-hour)*price.CacheWrite + float64(hour)*price.CacheWrite1h + float64(out)*price.Output) / million
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
		*c.Lost = max(0, float64(lost)*(again-price.CacheRead)/million)
	}
	return c
}

// Window returns how many tokens a request to a model may have, 0 if the list does not say.
func (p *Prices) Window(model string) int64 {
	if price := p.of(model); price != nil {
		return price.Window
	}
	return 0
}

// Has reports whether the list has a price for a model.
func (p *Prices) Has(model string) bool { return p.of(model) != nil }

// CacheLoss returns what it costs a model to read as input again what it could have read from
// the provider's cache, false if the list has no price for the model.
func (p *Prices) CacheLoss(model string, tokens int64) (float64, bool) {
	price := p.of(model)
	if price == nil {
		return 0, false
	}
	const million = 1e6
	return max(0, float64(tokens)*(price.Input-price.CacheRead)/million), true
}

// cachedAfter returns how many tokens of a call were in the cache afterwards; u says how many
// the provider read.
func cachedAfter(u *inspect.ProviderCache) int64 {
	if u.Written != nil {
		return *u.Read + *u.Written
	}
	return or0(u.In)
}

// ReadCost returns what it costs a model to read tokens from the cache, 0 if the list has no price
// for it.
func (p *Prices) ReadCost(model string, tokens int64) float64 {
	price := p.of(model)
	if price == nil {
		return 0
	}
	const million = 1e6
	return float64(tokens) * price.CacheRead / million
}

func (p *Prices) of(model string) *Price {
	if p == nil {
		return nil
	}
	for i := range p.Models {
		if p.Models[i].isOf(model) {
			return &p.Models[i]
		}
	}
	return nil
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
