package measure

import (
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"canonscope/profiles"
)

// Unavailable is the value of a fact that this machine does not provide.
const Unavailable = "unavailable"

// Environment returns what is known about the machine, the toolchain and the binary, by name.
func Environment() map[string]string {
	env := map[string]string{
		"goos":       runtime.GOOS,
		"goarch":     runtime.GOARCH,
		"go":         runtime.Version(),
		"cpus":       strconv.Itoa(runtime.NumCPU()),
		"cpu":        cpuField("model name"),
		"mhz":        cpuField("cpu MHz"),
		"hypervisor": yesNo(strings.Contains(" "+cpuField("flags")+" ", " hypervisor ")),
		"kernel":     kernel(),
		"hz":         kernelHz(),
		"clock":      fileLine("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
		"governor":   fileLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
		"thp":        fileLine("/sys/kernel/mm/transparent_hugepage/enabled"),
		"cgroup-cpu": fileLine("/sys/fs/cgroup/cpu.max"),
		"smt":        fileLine("/sys/devices/system/cpu/smt/active"),
		"load":       fileLine("/proc/loadavg"),
		"memory":     memory(),
		"binary":     BinaryHash(),
		"affinity":   affinity(),
		"perf":       perfEvents(),
	}

	for _, name := range []string{"GOGC", "GOMEMLIMIT", "GOMAXPROCS", "GODEBUG"} {
		env[strings.ToLower(name)+"-env"] = cmp.Or(os.Getenv(name), "unset")
	}

	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "-pgo", "-tags", "-ldflags", "-race", "GOAMD64", "GOARM64", "GOEXPERIMENT", "vcs.revision",
				"vcs.modified", "CGO_ENABLED":
				env["build "+s.Key] = s.Value
			}
		}
		for _, m := range info.Deps {
			env["module "+m.Path] = versionOf(m)
		}
	}

	return env
}

// Fingerprint is a short hash of the facts that make two measurements comparable: machine, toolchain,
// modules, binary.
func Fingerprint(env map[string]string) string {
	var lines []string
	for k, v := range env {
		if k != "load" && k != "mhz" && k != "sampler" { // which times do not depend on
			lines = append(lines, k+"="+v)
		}
	}
	slices.Sort(lines)
	return hash([]byte(strings.Join(lines, "\n")))[:12]
}

// perfEvents is "allowed", or why the sampler perf is not available.
func perfEvents() string {
	if err := profiles.Perf.Available(); err != nil {
		return err.Error()
	}
	return "allowed"
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func fileLine(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return Unavailable
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return cmp.Or(strings.TrimSpace(line), Unavailable)
}

// cpuField returns a field of the first processor in /proc/cpuinfo.
func cpuField(name string) string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return Unavailable
	}
	for line := range strings.Lines(string(b)) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == name {
			return cmp.Or(strings.TrimSpace(v), Unavailable)
		}
	}
	return Unavailable
}

func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return Unavailable
	}
	return unix.ByteSliceToString(u.Sysname[:]) + " " + unix.ByteSliceToString(u.Release[:])
}

// kernelHz is the tick rate, which bounds the sampling rate of profiles.
func kernelHz() string {
	f, err := os.Open("/proc/config.gz")
	if err != nil {
		return Unavailable
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return Unavailable
	}
	b, err := io.ReadAll(z)
	if err != nil {
		return Unavailable
	}
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, "CONFIG_HZ="); ok {
			return strings.TrimSpace(v)
		}
	}
	return Unavailable
}

func memory() string {
	var kb int64
	if _, err := fmt.Sscanf(fileLine("/proc/meminfo"), "MemTotal: %d kB", &kb); err != nil {
		return Unavailable
	}
	return fmt.Sprintf("%d MiB", kb>>10)
}
