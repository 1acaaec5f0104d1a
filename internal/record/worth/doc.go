// Package worth says what a request costs and when it pays to send less than the requests
// before. A simulation and a recorder that manages ask it the same.
package worth
