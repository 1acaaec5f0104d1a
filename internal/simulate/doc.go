// Package simulate replays a run under policies: which requests it would have sent, how much of them the provider
// would have read from its cache, the cost, and the removed texts that the run needed later. It replays the calls
// of the run as they were made. It does not simulate the model, which might have made others.
package simulate
