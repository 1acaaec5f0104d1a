package record

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/record/manage"
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
	// UpTo is how many tokens a request may have for this price, 0 for any number: longer ones may have another entry.
	UpTo int64 `json:"up_to,omitempty"`
	// Terms are those of an answer for which this price is, such as fast or flex; "" for those that a provider has without
	// asking. An answer on terms that no entry of its model has costs an unknown amount.
	Terms string `json:"terms,omitempty"`
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

// Paid returns what a call of a model cost by the counts of the provider, nil if the list has no price for the model
// or the provider did not report its tokens or how many of them came from its cache.
func (p *Prices) Paid(model string, told *inspect.ProviderCache) *float64 {
	if told == nil || told.In == nil || told.Read == nil {
		return nil
	}
	price, known := p.of(model, *told.In, told.Terms)
	if !known {
		return nil
	}
	read, written, hour, out := *told.Read, orZero(told.Written), orZero(told.Written1h), orZero(told.Out)
	paid := (float64(*told.In-read-written)*price.Input + float64(read)*price.CacheRead +
		float64(written-hour)*price.CacheWrite + float64(hour)*price.CacheWrite1h + float64(out)*price.Output) / Million
	return &paid
}

// Cost returns what a call cost with all attempts of its cycle, nil where [Prices.Paid] returns none for the last of
// these. It adds to a break of the cache what that cost.
func (p *Prices) Cost(call *inspect.CallPrefix) *inspect.CallCost {
	paid := p.Paid(call.Model, call.Provider)
	if paid == nil {
		return nil
	}
	c := &inspect.CallCost{Currency: p.Currency, Paid: *paid}
	for i := range call.Earlier {
		if more := p.Paid(call.Model, &call.Earlier[i]); more != nil {
			c.Paid += *more
		}
	}
	if b := call.CacheBreak; b != nil {
		b.Cost = p.lost(call, b.Again)
		c.BreakCost = b.Cost
	} else if call.Left != nil {
		c.BreakCost = new(float64)
	}
	return c
}

// lost returns what it cost more to send tokens again than to read them: those that a call wrote count before those
// that it paid in full, and no token twice, so it is less than what was paid.
func (p *Prices) lost(call *inspect.CallPrefix, again int64) *float64 {
	u := call.Provider
	price, _ := p.of(call.Model, *u.In, u.Terms)
	sum, hour, written := 0.0, orZero(u.Written1h), orZero(u.Written)
	for _, at := range []struct {
		tokens int64
		price  float64
	}{{hour, price.CacheWrite1h}, {written - hour, price.CacheWrite}, {*u.In - *u.Read - written, price.Input}} {
		n := max(0, min(again, at.tokens))
		sum, again = sum+float64(n)*(at.price-price.CacheRead)/Million, again-n
	}
	sum = max(0, sum)
	return &sum
}

// Million is how many tokens a Price is for.
const Million = 1e6

// of returns the price of a model for a request of so many tokens on some terms, false if the list has none.
func (p *Prices) of(name string, in int64, terms string) (Price, bool) {
	if p == nil {
		return Price{}, false
	}
	name = byMaker(name)
	i := slices.IndexFunc(p.Models, func(m Price) bool { return m.isOf(name) && (m.UpTo == 0 || in <= m.UpTo) && m.Terms == terms })
	if i < 0 {
		return Price{}, false
	}
	return p.Models[i], true
}

// byMaker returns the name that its maker gives a model, of one that a program writes with the maker in front, such as
// anthropic/claude-opus-4.8, or with the maker's API, as LiteLLM names it. A router in front may charge something else, so
// its name stays.
func byMaker(model string) string {
	maker, name, _ := strings.Cut(model, "/")
	switch {
	case maker == "anthropic" && strings.HasPrefix(name, "claude-"):
		return strings.ReplaceAll(name, ".", "-")
	case strings.Contains(name, "/"):
	case maker == "google", maker == "openai", maker == "qwen", maker == "dashscope", maker == "gemini", maker == "models":
		return name
	}
	return model
}

// Model returns the price of a model for its shortest requests, false if the list has none, or none for its longest.
func (p *Prices) Model(name string) (Price, bool) {
	_, longest := p.of(name, math.MaxInt64, "")
	price, known := p.of(name, 0, "")
	return price, known && longest
}

// isOf reports whether the price is that of a model: gpt-5.5-mini does not cost what gpt-5.5 costs.
func (m *Price) isOf(model string) bool {
	return undated(model) == m.Model || strings.HasPrefix(model, m.Model) && (model == m.Model || strings.HasSuffix(m.Model, "-"))
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// priceOf returns the price of a model for a ledger. p may be nil.
func (p *Prices) priceOf(model string) (manage.Price, bool) {
	rates, known := p.Model(model)
	return manage.Price{Paid: func(u *inspect.ProviderCache) float64 { return *p.Paid(model, u) },
		Read: func(tokens int64) float64 { return float64(tokens) * rates.CacheRead / Million }}, known
}
