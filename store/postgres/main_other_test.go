//go:build !unix

package postgres_test

import (
	"os"
	"testing"

	"github.com/contexttree/pact/internal/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Run(m)) }
