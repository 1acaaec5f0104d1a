package history

// AccessToken is a right to use the contexts of a store through a server, given to whoever
// knows a secret. The store has a hash of that secret only.
type AccessToken struct {
	Name      string   // says whose it is; unique in the store
	Hash      [32]byte // of the secret, as package server makes it
	Write     bool     // may change contexts, not only read them
	Pattern   string   // names of the contexts that it opens, * for any characters; "" opens all
	CreatedNS int64    // Unix time in nanoseconds
}
