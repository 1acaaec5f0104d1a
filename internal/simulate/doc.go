// Package simulate replays a run under policies: what would have been sent, what of it the provider
// would have read from its cache, what that would have cost, and what the run needed later of what
// a policy had removed. It replays the calls of the run as they were made. It does not simulate the
// model, which might have made others.
package simulate
