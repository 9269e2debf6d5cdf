package measure_test

import (
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"canonscope/compare/measure"
)

// What is recorded of the machine and the binary is what the system says.
func TestEnvironmentIsTheSystems(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("another system says it in other files")
	}
	t.Setenv("GOGC", "77")
	t.Setenv("GODEBUG", "")
	env := measure.Environment()
	read := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			return measure.Unavailable
		}
		return strings.TrimSpace(string(b))
	}
	field := func(path, pattern string) string {
		if m := regexp.MustCompile(`(?m)^` + pattern + `$`).FindStringSubmatch(read(path)); m != nil {
			return strings.TrimSpace(m[1])
		}
		return measure.Unavailable
	}
	kb, err := strconv.Atoi(field("/proc/meminfo", `MemTotal: +([0-9]+) kB`))
	if err != nil {
		t.Fatal(err)
	}
	executable, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	hz := measure.Unavailable
	if f, err := os.Open("/proc/config.gz"); err == nil {
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if m := regexp.MustCompile(`(?m)^CONFIG_HZ=([0-9]+)$`).FindSubmatch(b); m != nil {
			hz = string(m[1])
		}
	}
	for name, want := range map[string]string{
		"cpu":         field("/proc/cpuinfo", `model name[ \t]*:(.*)`),
		"kernel":      read("/proc/sys/kernel/ostype") + " " + read("/proc/sys/kernel/osrelease"),
		"memory":      fmt.Sprintf("%d MiB", kb/1024),
		"clock":       read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
		"binary":      fmt.Sprintf("%x", sha256.Sum256(executable)),
		"hz":          hz,
		"gogc-env":    "77",
		"godebug-env": "unset",
	} {
		if env[name] != want {
			t.Errorf("%s is %q, want %q", name, env[name], want)
		}
	}
	if yes := strings.Contains(" "+field("/proc/cpuinfo", `flags[ \t]*:(.*)`)+" ", " hypervisor "); (env["hypervisor"] == "yes") != yes {
		t.Errorf("hypervisor %s, flagged %v", env["hypervisor"], yes)
	}
}
