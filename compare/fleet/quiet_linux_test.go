package fleet

import (
	"os"
	"runtime"
	"testing"

	"github.com/nats-io/nats-server/v2/server/pse"
)

var atStart int

func TestMain(m *testing.M) {
	atStart = runtime.NumGoroutine()
	if dir := os.Getenv(serverOf); dir != "" {
		serveUntilEnd(dir)
		return
	}
	os.Exit(m.Run())
}

// A process that has this package, as those that measure do, does nothing of it by itself.
func TestNothingRunsByItself(t *testing.T) {
	if atStart > 1 {
		t.Errorf("%d goroutines ran when the process began", atStart)
	}
	var cpu float64
	var resident, virtual int64
	if pse.ProcUsage(&cpu, &resident, &virtual) == nil {
		t.Error("the server's package reads a file each second")
	}
}
