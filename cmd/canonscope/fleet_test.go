package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"github.com/nats-io/nats.go/jetstream"

	"canonscope/compare"
	"canonscope/compare/fleet"
	"canonscope/compare/measure"
)

// yard starts the processes of a fleet, each on a machine of its own as far as locks go, and all with a mark by
// which what is left of them is found.
type yard struct {
	*testing.T
	dir, url string
	lease    time.Duration
	conn     *fleet.Conn
	ended    map[*exec.Cmd]chan error
}

func newYard(t *testing.T, lease time.Duration) *yard {
	t.Helper()
	y := &yard{T: t, dir: t.TempDir(), lease: lease, ended: make(map[*exec.Cmd]chan error)}
	l, err := net.Listen("tcp", "127.0.0.1:0") // a port that stays the same when the server starts again
	if err != nil {
		t.Fatal(err)
	}
	y.url = "nats://" + l.Addr().String()
	l.Close()
	t.Cleanup(func() {
		for cmd := range y.ended {
			y.end(cmd, syscall.SIGKILL)
		}
	})
	return y
}

const fleetMark = "CANONSCOPE_FLEET_TEST"

func (y *yard) start(name string, args ...string) *exec.Cmd {
	y.Helper()
	tmp := filepath.Join(y.dir, "machine-"+name)
	if err := os.MkdirAll(tmp, 0o777); err != nil {
		y.Fatal(err)
	}
	cmd := exec.Command("canonscope", args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, fleetMark+"="+y.dir)
	log, err := os.OpenFile(filepath.Join(y.dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		y.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		y.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	y.ended[cmd] = ended
	return cmd
}

func (y *yard) log(name string) string {
	text, err := os.ReadFile(filepath.Join(y.dir, name+".log"))
	if err != nil {
		y.Error(err)
	}
	return string(text)
}

// end sends a signal and waits for the end.
func (y *yard) end(cmd *exec.Cmd, s syscall.Signal) error {
	_ = cmd.Process.Signal(s)
	err := <-y.ended[cmd]
	delete(y.ended, cmd)
	return err
}

func (y *yard) server() *exec.Cmd {
	y.Helper()
	cmd := y.start("server", "fleet", "server", "--dir", filepath.Join(y.dir, "store"), "--listen", strings.TrimPrefix(y.url, "nats://"))
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", strings.TrimPrefix(y.url, "nats://")); err == nil {
			c.Close()
			return cmd
		}
		if time.Now().After(end) {
			y.Fatalf("no server: %s", y.log("server"))
		}
	}
}

func (y *yard) worker(name, env string) *exec.Cmd {
	y.Helper()
	return y.start(name, "fleet", "worker", "--server", y.url, "--env", env, "--name", name, "--lease", y.lease.String())
}

// busy waits until a worker is within a process, or the submitter has ended.
func (y *yard) busy(name string, submitter *exec.Cmd) {
	y.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		workers, err := y.conn.Workers(context.Background())
		for _, w := range workers {
			if err == nil && w.Worker == name && w.Cell != "" {
				return
			}
		}
		select {
		case err := <-y.ended[submitter]:
			y.ended[submitter] <- err
			return
		default:
		}
	}
	y.Fatalf("worker %s had nothing to do: %s", name, y.log(name))
}

// left lists processes that have the mark.
func (y *yard) left() (all []string) {
	entries, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		y.Fatal(err)
	}
	for _, path := range entries {
		if env, err := os.ReadFile(path); err == nil && bytes.Contains(env, []byte(fleetMark+"="+y.dir)) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			all = append(all, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return all
}

// disturbed runs a campaign of so many cells in two environments. Within it a worker is stopped beyond its lease and
// goes on, another is killed, the server is killed and ended, and the submitter is killed and comes back.
func (y *yard) disturbed(cells, runs int, args ...string) {
	y.Helper()
	server := y.server()
	conn, err := fleet.Connect(context.Background(), fleet.Access{URL: y.url}, "test")
	if err != nil {
		y.Fatal(err)
	}
	y.conn = conn
	defer conn.Close()

	first, _ := y.worker("first", "rack"), y.worker("second", "rack")
	third := y.worker("third", "phones")
	out := filepath.Join(y.dir, "results")
	submitter := y.start("submitter", append([]string{"run", "--fleet", y.url, "--env", "rack,phones", "--out", out, "--n", "1",
		"--runs", fmt.Sprint(runs), "--profile-seconds", "0.05"}, args...)...)

	y.busy("first", submitter)
	_ = first.Process.Signal(syscall.SIGSTOP)
	y.busy("third", submitter)
	_ = y.end(third, syscall.SIGKILL)
	third = y.worker("third-again", "phones")
	_ = y.end(server, syscall.SIGKILL)
	server = y.server()
	time.Sleep(y.lease + y.lease/2)
	_ = first.Process.Signal(syscall.SIGCONT)

	y.busy("third-again", submitter)
	early := y.end(submitter, syscall.SIGKILL)
	_ = y.end(server, syscall.SIGTERM)
	server = y.server()
	if early == nil {
		y.Error("the campaign ended before its submitter was killed")
	}
	submitter = y.start("resumed", "run", "--resume", out)
	select {
	case err := <-y.ended[submitter]:
		if err != nil {
			y.Fatalf("resumed: %v\n%s\n%s", err, y.log("submitter"), y.log("resumed"))
		}
	case <-time.After(5 * time.Minute):
		y.Fatalf("it hangs\n%s\n%s", y.log("resumed"), y.log("third-again"))
	}
	delete(y.ended, submitter)

	for _, env := range []string{"rack", "phones"} {
		y.whole(filepath.Join(out, env), env, cells, runs)
	}
	for _, name := range []string{"table.md", "table.csv", "results.json", "report.html"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() == 0 {
			y.Errorf("%s: %v", name, err)
		}
	}
	y.swept()
	for _, env := range []string{"rack", "phones"} {
		if _, err := conn.Drain(context.Background(), env); err != nil {
			y.Error(err)
		}
	}
	for cmd, ended := range y.ended {
		if cmd != server {
			if err := <-ended; err != nil {
				y.Errorf("%v ended: %v", cmd.Args, err)
			}
			delete(y.ended, cmd)
		}
	}
	_ = y.end(server, syscall.SIGTERM)
	if all := y.left(); len(all) > 0 {
		y.Errorf("processes are left: %q", all)
	}
}

// whole checks the folder of an environment: each process of each cell once, all profiles, a complete report.
func (y *yard) whole(dir, env string, cells, runs int) {
	y.Helper()
	l, err := measure.Load(dir) // which refuses a process that is there twice
	if err != nil {
		y.Fatal(err)
	}
	if !l.Ended || l.Campaign.Interrupted || l.Campaign.Stopped != "" || len(l.Campaign.Results) != cells {
		y.Errorf("%s: ended %v, interrupted %v, stopped %q, %d cells of %d", env, l.Ended, l.Campaign.Interrupted, l.Campaign.Stopped,
			len(l.Campaign.Results), cells)
	}
	for _, r := range l.Campaign.Results {
		if r.State == compare.Unsupported {
			continue
		}
		if r.State != compare.Measured || len(r.Runs) != runs {
			y.Errorf("%s: %s: %s %s, %d processes of %d", env, r.ID, r.State, r.Reason, len(r.Runs), runs)
		}
		if r.Profile == nil {
			y.Errorf("%s: %s: no profile: %s", env, r.ID, r.Reason)
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, r.Profile.Pprof))
		if err == nil {
			_, err = profile.ParseData(text)
		}
		if info, e := os.Stat(filepath.Join(dir, r.Profile.Flame)); err != nil || e != nil || info.Size() == 0 {
			y.Errorf("%s: %s: profile %v, flame graph %v", env, r.ID, err, e)
		}
	}
	y.Logf("%s: %d records, machines %d, faults %q", env, len(l.Records), len(l.Campaign.Machines), l.Campaign.Faults)
}

// swept checks that the server has nothing of a campaign.
func (y *yard) swept() {
	y.Helper()
	js, err := jetstream.New(y.conn.Conn)
	if err != nil {
		y.Fatal(err)
	}
	for _, name := range []string{"CANONSCOPE_JOBS", "CANONSCOPE_RESULTS"} {
		s, err := js.Stream(context.Background(), name)
		if err != nil {
			y.Fatal(err)
		}
		if n := s.CachedInfo().State.Msgs; n > 0 {
			y.Errorf("%s has %d messages", name, n)
		}
	}
	store, err := js.ObjectStore(context.Background(), "canonscope")
	if err != nil {
		y.Fatal(err)
	}
	if all, err := store.List(context.Background()); err == nil && len(all) > 0 {
		y.Errorf("%d objects are left", len(all))
	}
}

// Whatever happens to workers, the server and the submitter, each process of each cell is counted once.
func TestFleetOfProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	newYard(t, time.Second).disturbed(4, 2, "--format", "mdoc", "--engine", "stock", "--algorithm", "EdDSA", "--schema", "simple-5")
}

// So it is with 40 cells.
func TestFleetOf40Cells(t *testing.T) {
	machine(t)
	newYard(t, 3*time.Second).disturbed(40, 3, "--schema", "simple-1,simple-2,simple-5,simple-10", "--format", "mdoc,sd-jwt-vc",
		"--engine", "native", "--algorithm", "EdDSA")
}
