package store

import "context"

// PutAttempt implements AttemptKeeper.
func (m *Memory) PutAttempt(_ context.Context, key Key, a Attempt) (Attempt, error) {
	if err := a.Check(); err != nil {
		return Attempt{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	k, err := m.with(key)
	if err != nil {
		return Attempt{}, err
	}
	if a.ID == "" {
		return k.start(a)
	}
	old := k.attempt(a.ID)
	if old == nil {
		return Attempt{}, NoAttempt(a.ID)
	}
	if old.Status != Running {
		return Attempt{}, AttemptEnded(*old)
	}
	old.End(a)
	return old.clone(), nil
}

// start adds a new attempt under the next number of its cycle.
func (k *memoryContext) start(a Attempt) (Attempt, error) {
	if a.Cycle != k.info.Stamps.Cycle {
		return Attempt{}, CycleOver(a.Cycle, k.info.Stamps.Cycle)
	}
	number := int64(1)
	for i := len(k.attempts) - 1; i >= 0 && k.attempts[i].Cycle == a.Cycle; i-- {
		number++
	}
	a = a.clone()
	a.ID = AttemptID(a.Cycle, number, k.info.Fork)
	k.attempts = append(k.attempts, a)
	return a.clone(), nil
}

// attempt finds an attempt by its id, in the context or in what it shares; nil if there is
// none.
func (k *memoryContext) attempt(id string) *Attempt {
	cycle, _, _, ok := ParseAttemptID(id)
	for k.origin != nil && cycle <= k.info.Origin.Cycle {
		k = k.origin
	}
	for i := range k.attempts {
		if ok && k.attempts[i].ID == id {
			return &k.attempts[i]
		}
	}
	return nil
}

// Attempts implements AttemptKeeper.
func (m *Memory) Attempts(_ context.Context, key Key, from, to int64) ([]Attempt, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	k, err := m.with(key)
	if err != nil {
		return nil, err
	}
	return k.attemptsOf(from, to), nil
}

func (k *memoryContext) attemptsOf(from, to int64) (list []Attempt) {
	if k.origin != nil {
		list = k.origin.attemptsOf(from, min(to, k.info.Origin.Cycle))
	}
	for _, a := range k.attempts {
		if from <= a.Cycle && a.Cycle <= to {
			list = append(list, a.clone())
		}
	}
	return list
}
