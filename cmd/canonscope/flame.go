package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/pprof/profile"
	"github.com/spf13/cobra"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/canon/userfile"
	"canonscope/compare/measure"
	"canonscope/compare/report"
	"canonscope/compare/stats"
	"canonscope/profiles"
)

// Formats of flame.
const (
	formatSVG        = "svg"
	formatHTML       = "html"
	formatPprof      = "pprof"
	formatFolded     = "folded"
	formatSpeedscope = "speedscope"
)

var flameFormats = []string{formatSVG, formatHTML, formatPprof, formatFolded, formatSpeedscope}

// Shapes of a picture.
const (
	icicle    = "icicle"
	flameUp   = "flame"
	anyCallee = "*" // --invert without a function
)

func newFlameCommand() *cobra.Command {
	var out, format, by, shape, invert, wide string

	cmd := &cobra.Command{
		Use:   "flame A [B]",
		Short: "Draw the profile of a cell, or the difference of two",
		Long: `Flame draws where the time of an operation goes, and with two arguments where B
costs more or less than A. Each is FOLDER:CELL, a results folder with one
profile, or a file (.pb.gz). CELL is an id, or some of its words, such as
"stock verify". The picture goes to standard output, or with --out to a file;
then the totals and what changed are printed.

The picture is one file without references to others. Click a frame to zoom, /
searches, Esc resets, arrows and Enter move and zoom. It is complete, but still,
where no script runs.

A difference is coloured by the µs that an operation gained or lost. A frame
stays grey if its difference is within noise: the test is that of two counts of
samples, with how well the costs are known, at 5 % for all frames together.

The other formats: pprof is a profile for "go tool pprof", in which the samples
of A are negative; folded and speedscope are the input of other tools.`,
		Example: `  canonscope flame results/new
  canonscope flame "results/new:stock verify" --format html --out verify.html
  canonscope flame "results/old:stock verify" "results/new:stock verify"
  canonscope flame --invert=IsURL "results/new:stock verify"
  canonscope flame a.pb.gz b.pb.gz --format pprof --out difference.pb.gz`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 || len(args) == 2 {
				return nil
			}
			return fmt.Errorf("flame takes one profile or two, not %d arguments; see %s --help", len(args),
				cmd.CommandPath())
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, c := range []struct {
				kind, value string
				known       []string
			}{{"format", format, flameFormats}, {"shape", shape, []string{icicle, flameUp}},
				{"width", wide, []string{"A", "B"}}} {
				if err := choice.Check(c.kind, c.value, c.known); err != nil {
					return err
				}
			}
			if err := choice.Check("frame", profiles.By(by), profiles.Bys); err != nil {
				return err
			}

			drawn := format == formatSVG || format == formatHTML
			for _, flag := range []string{"by", "shape", "invert", "width"} {
				if cmd.Flags().Changed(flag) && !drawn {
					return fmt.Errorf("--%s does not go with --format %s: it is of pictures", flag, format)
				}
			}
			if cmd.Flags().Changed("width") && len(args) == 1 {
				return errors.New("--width does not go with one profile; name two")
			}
			if format == formatPprof && out == "" && terminal(cmd.OutOrStdout()) {
				return errors.New("--format pprof is binary; name a file with --out")
			}

			var o profiles.DifferenceOptions
			o.By, o.Upward, o.ByBefore = profiles.By(by), shape == flameUp, wide == "A"
			if o.Invert = invert != ""; invert != anyCallee {
				o.Callers = invert
			}

			var sides []*profiled
			for _, name := range args {
				side, err := openProfile(name)
				if err != nil {
					return err
				}
				sides = append(sides, side)
			}

			write, text := drawOne(sides[0], format, o)
			if len(sides) == 2 {
				var err error
				if write, text, err = drawTwo(sides, format, o); err != nil {
					return err
				}
			}

			return writeOut(cmd.OutOrStdout(), out, write, text)
		},
	}

	flags := cmd.Flags()
	flags.StringVar(&out, "out", "", "write to `FILE`")
	flags.StringVar(&format, "format", formatSVG, strings.Join(flameFormats, ", "))
	flags.StringVar(&by, "by", string(profiles.ByFunction), "what frames are: "+
		strings.Join(choice.Names(profiles.Bys), ", "))
	flags.StringVar(&shape, "shape", icicle, "icicle, with callers above, or flame, with callers below")
	flags.StringVar(&invert, "invert", "",
		"callees first; --invert=`FUNCTION` begins at functions so named and shows their callers")
	flags.Lookup("invert").NoOptDefVal = anyCallee
	flags.StringVar(&wide, "width", "B", "in a difference frames are as wide as in `A` or B")

	return cmd
}

// writeOut writes to a file and then prints a text, or else writes to standard output.
func writeOut(stdout io.Writer, out string, write, text func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	if out == "" {
		_, err := b.WriteTo(stdout)
		return err
	}
	if err := os.WriteFile(out, b.Bytes(), 0o666); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return text(stdout)
}

// drawOne returns what writes the profile of one cell.
func drawOne(p *profiled, format string, o profiles.DifferenceOptions) (write, text func(io.Writer) error) {
	rules := measure.Rules()
	o.Title, o.Cost = p.name, p.cost.Center
	attribution := profiles.Attribute(p.profile, rules)
	return func(w io.Writer) error {
		switch format {
		case formatHTML:
			return profiles.FlameHTML(w, p.profile, rules, o.FlameOptions)
		case formatPprof:
			profiles.Annotate(p.profile, rules)
			return p.profile.Write(w)
		case formatFolded:
			return profiles.Folded(w, p.profile, rules)
		case formatSpeedscope:
			return profiles.Speedscope(w, p.profile, rules, p.name)
		}
		return profiles.FlameSVG(w, p.profile, rules, o.FlameOptions)
	}, attribution.WriteText
}

// drawTwo returns what writes the difference of two cells.
func drawTwo(
	sides []*profiled, format string, o profiles.DifferenceOptions,
) (write, text func(io.Writer) error, err error) {
	var both [2]profiles.Side
	for i, p := range sides {
		both[i] = profiles.Side{Name: p.name, Profile: p.profile, Cost: p.cost.Center, Rules: p.rules}
		if !p.cost.Bounded() {
			o.Notes = append(o.Notes, fmt.Sprintf("%s has no interval of its cost: 3 %% is taken as its "+
				"standard error. Three runs give one.", "AB"[i:i+1]))
		}
	}

	o.Title = "Difference of B and A"
	d, err := profiles.Compare(both[0], both[1], measure.Rules(), o,
		report.JudgeFrames(sides[0].cost, sides[1].cost))
	if err != nil {
		return nil, nil, err
	}

	write = map[string]func(io.Writer) error{formatSVG: d.SVG, formatHTML: d.HTML, formatFolded: d.Folded,
		formatSpeedscope: d.Speedscope,
		formatPprof: func(w io.Writer) error {
			p, err := d.Profile()
			if err != nil {
				return err
			}
			return p.Write(w)
		}}[format]

	return write, d.Text, nil
}

// profiled is a profile that a command line names.
type profiled struct {
	name    string
	path    string // of the file
	profile *profile.Profile
	cost    stats.Estimate // nanoseconds of an operation
	rules   profiles.Rules // of a build of other sources
}

// openProfile reads FOLDER:CELL, a folder with one profile, or a file.
func openProfile(name string) (*profiled, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return profileOf(name, "")
	case err == nil:
		f, err := userfile.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return readProfile(f, filepath.Base(name), name, stats.Estimate{})
	}

	for i, c := range name {
		if c != ':' {
			continue
		}
		if info, err := os.Stat(name[:i]); err == nil && info.IsDir() {
			return profileOf(name[:i], name[i+1:])
		}
	}
	return nil, fmt.Errorf("%s is not a results folder, a file or FOLDER:CELL", name)
}

// profileOf reads the profile of a cell in a results folder.
func profileOf(folder, cell string) (*profiled, error) {
	loaded, err := measure.Load(folder)
	if err != nil {
		return nil, err
	}
	r, err := report.Profiled(loaded.Campaign, cell)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}

	root, err := userfile.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()

	// The name comes from a file of others: nothing outside of the folder is read, and no pipe.
	name := filepath.FromSlash(r.Profile.Pprof)
	path := filepath.Join(folder, name)
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readProfile(f, report.Short(r.ID), path, report.CPU(r))
}

// maxProfile bounds a file of samples once it is decompressed.
const maxProfile = 256 << 20

func readProfile(f io.Reader, name, path string, cost stats.Estimate) (*profiled, error) {
	p, err := parseProfile(f, maxProfile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if cost.N == 0 {
		cost = stats.Estimate{Center: profiles.PerOperationOf(p), Low: math.Inf(-1), High: math.Inf(1), N: 1}
	}
	return &profiled{name: cmp.Or(name, path), path: path, profile: p, cost: cost}, nil
}

// parseProfile reads a profile, compressed or not. A small file may decompress to one of any size, so what is
// parsed is bounded, not what is read.
func parseProfile(f io.Reader, most int64) (*profile.Profile, error) {
	in := bufio.NewReader(f)
	plain := io.Reader(in)
	if magic, err := in.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		if plain, err = gzip.NewReader(in); err != nil {
			return nil, err
		}
	}
	text, err := io.ReadAll(io.LimitReader(plain, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > most {
		return nil, &canon.LimitError{Limit: "bytes", Max: most, Done: int64(len(text))}
	}
	return profile.ParseData(text)
}
