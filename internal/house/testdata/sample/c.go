package sample

// Use uses a method and a field of another file.
func Use(t *Thing) int {
	for local := range 3 {
		t.Silent += local
	}
	return t.Method()
}
