package fleet

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"canonscope/compare"
	"canonscope/compare/measure"
)

func goodOrder() *Order {
	c := compare.Cell{Format: "vcdm", Suite: "s", Engine: "native", Algorithm: "none", Schema: "c", GC: "100", Procs: 1, Contexts: "warm"}
	return &Order{Version: Version, Campaign: "0123456789abcdef", Environment: "rack", Binary: measure.BinaryHash(), Rules: measure.Rules().Hash(),
		Batch: measure.Batch{ID: "time-0-0", Jobs: []measure.Job{{Version: measure.Version, Kind: measure.Time, Cell: c.ID(), Operations: []compare.Operation{compare.Issue},
			Documents: 8, Window: compare.Window{N: 1}, Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Deadline: 60, Memory: 1 << 30}}}}
}

func here() *Info {
	return &Info{Environment: "rack", Binary: measure.BinaryHash(), Rules: measure.Rules().Hash()}
}

func text(t testing.TB, o *Order) []byte {
	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// An order of another program, with a command, or not bounded, is refused with its reason.
func TestReadOrder(t *testing.T) {
	good, err := ReadOrder(text(t, goodOrder()))
	if err != nil {
		t.Fatal(err)
	}
	if err := good.fits(here(), nil); err != nil {
		t.Fatal(err)
	}
	big := &compare.Source{Name: "c", SHA256: strings.Repeat("0", 64), Bytes: maxGiven + 1}
	foreign := strings.Replace(good.Batch.Jobs[0].Cell, "engine=native", "engine=exec:rm", 1)
	for why, alter := range map[string]func(o *Order){
		"it has version":    func(o *Order) { o.Version++ },
		"it has no name":    func(o *Order) { o.Campaign = "../x" },
		"it has 0 jobs":     func(o *Order) { o.Batch.Jobs = nil },
		"job has a command": func(o *Order) { o.Batch.Jobs[0].Engine = []string{"sh", "-c", "id"} },
		"job has version":   func(o *Order) { o.Batch.Jobs[0].Version++ },
		"its documents":     func(o *Order) { o.Batch.Jobs[0].Document = big },
		"job has GOMAXPROCS": func(o *Order) {
			o.Batch.Jobs[0].Cell = strings.Replace(o.Batch.Jobs[0].Cell, "procs=1", "procs=999999999", 1)
		},
		"job has more live heap":     func(o *Order) { o.Batch.Jobs[0].Cell += "/live-heap=99999999" },
		"job names a build":          func(o *Order) { o.Batch.Jobs[0].Cell += "/build=x" },
		"it has 131073 objects":      func(o *Order) { o.Batch.Jobs[0].Cell = strings.Repeat("{", mostInOrder-3) },
		"it is for the environment":  func(o *Order) { o.Environment = "phones" },
		"it is for another binary":   func(o *Order) { o.Binary = strings.Repeat("0", 64) },
		"it is for other":            func(o *Order) { o.Rules = "x" },
		"the engine exec:rm is not":  func(o *Order) { o.Batch.Jobs[0].Cell = foreign },
		"something follows":          nil,
		"it is not an order: json: ": nil,
	} {
		o := goodOrder()
		var b []byte
		switch {
		case alter != nil:
			alter(o)
			b = text(t, o)
		case why == "something follows":
			b = append(text(t, o), "{}"...)
		default:
			b = []byte(strings.Replace(string(text(t, o)), `"batch"`, `"command":"id","batch"`, 1))
		}
		got, err := ReadOrder(b)
		if err == nil {
			err = got.fits(here(), map[compare.Engine][]string{"exec:node": nil})
		}
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
	}
	o := goodOrder()
	o.Batch.Jobs[0].Cell = foreign
	if err := o.fits(here(), map[compare.Engine][]string{"exec:rm": nil}); err != nil {
		t.Errorf("an engine that the worker defines: %v", err)
	}
}

// What a message says is an order within the bounds, or refused.
func FuzzReadOrder(f *testing.F) {
	f.Add(text(f, goodOrder()))
	f.Add([]byte(`{"version":1,"batch":{"jobs":[{"engine":["sh"]}]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := ReadOrder(b)
		if err != nil {
			if _, ok := err.(*Refused); !ok {
				t.Errorf("error %T", err)
			}
			return
		}
		if len(o.Batch.Jobs) == 0 || len(o.Batch.Jobs) > mostJobs || strings.ContainsAny(subjectOf(o)[len(jobsSubject):], "*> /") {
			t.Errorf("accepted %+v", o)
		}
		for _, j := range o.Batch.Jobs {
			if j.Engine != nil || j.Inputs != nil || !(j.Deadline > 0) || j.Memory <= 0 {
				t.Errorf("accepted %+v", j)
			}
		}
	})
}

// What a worker sends is a reply, or an error.
func FuzzUnpack(f *testing.F) {
	if b, err := pack(&measure.Reply{Worker: "w", Batch: "b"}); err == nil {
		f.Add(b)
	}
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := unpack(b); (r == nil) == (err == nil) {
			t.Errorf("%v, %v", r, err)
		}
	})
}

// A small message cannot make a large one in memory.
func TestDenseReply(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(`{"answers":[` + strings.Repeat("{},", mostInReply) + "{}]}")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := unpack(b.Bytes()); err == nil || !strings.Contains(err.Error(), "objects") {
		t.Error(err)
	}
}

// What a worker says of itself is bounded, and each of its texts is one line.
func TestReadInfo(t *testing.T) {
	i, err := readInfo([]byte(`{"worker":"a\nb","campaign":"\u001b[2J","trouble":"` + strings.Repeat("x", 1000) + `"}`))
	if err != nil || strings.ContainsAny(i.Worker+i.Campaign, "\n\x1b") || len(i.Trouble) > 300 {
		t.Errorf("%+v, %v", i, err)
	}
	for _, text := range []string{"", "[]", `{"done":"x"}`, `{"worker":"` + strings.Repeat("x", maxInfo) + `"}`} {
		if i, err := readInfo([]byte(text)); err == nil {
			t.Errorf("%.20s: %+v", text, i)
		}
	}
}
