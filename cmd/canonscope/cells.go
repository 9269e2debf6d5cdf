package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"canonscope/canon/choice"
	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/matrix"
	"canonscope/compare/measure"
	"canonscope/vcdm/keys"
)

// matrixFlags adds the flags that name cells.
func matrixFlags(cmd *cobra.Command, f *matrix.Filter, p *matrix.Policy, g *givenFlags) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.Formats, "format", nil,
		"only these formats: "+strings.Join(choice.Names(namesOf(matrix.Formats)), ", "))
	flags.StringSliceVar(&f.Suites, "suite", nil,
		"only these cryptosuites or envelopes, e.g. eddsa-rdfc-2022")
	flags.Var(&g.engines, "engine", "only these engines: "+engineHelp)
	flags.StringSliceVar(&f.Algorithms, "algorithm", nil, "only these signature algorithms: "+
		strings.Join(choice.Names(append(slices.Clone(keys.Algorithms), keys.BBS)), ", ")+
		", or usual: what users of each suite deploy")

	g.add(cmd)
	flags.StringSliceVar(&f.Operations, "operation", nil, "only these operations: "+
		strings.Join(choice.Names(compare.Operations), ", "))
	flags.StringSliceVar(&f.Contexts, "context-cache", nil, "states in which JSON-LD contexts are found: "+
		strings.Join(choice.Names(compare.ContextStates), ", ")+
		"; without it embedded for stock, else warm")

	*p = matrix.DefaultPolicy
	flags.StringVar(&p.GC, "gc", p.GC, "garbage collector policy of the cells: GOGC in percent, or off")
	flags.IntSliceVar(&p.Procs, "procs", p.Procs, "GOMAXPROCS of the cells: one or more numbers")

	flags.Func("disclose", "present `N` elements of the subject, all, or those at JSON pointers; without it "+
		"what the schema names", func(text string) error {
		if p.Disclose != "" {
			return errors.New("it is given twice; put commas between pointers")
		}
		// Every pointer begins with a slash; a comma elsewhere belongs to the name of a member.
		words := strings.Split(text, ",/")
		for i := range words[1:] {
			words[i+1] = "/" + words[i+1]
		}
		var err error
		p.Disclose, err = compare.ParseDisclosure(words...)
		return err
	})

	flags.Func("granularity", "`SIZE` of one disclosure and one element: "+strings.Join(compare.Granularities,
		", ")+
		"; without it leaf, and branch for education schemas", func(text string) error {
		p.Granularities = nil
		for name := range strings.SplitSeq(text, ",") {
			g, err := compare.ParseGranularity(name)
			if err != nil {
				return err
			}
			p.Granularities = append(p.Granularities, g)
		}
		return nil
	})

	flags.IntVar(&p.LiveHeap, "live-heap", 0, "live heap of the cells in `MB`, beside that of the harness")
}

// maxLiveHeap leaves a child room below its memory limit: a heap grows to twice its live size.
const maxLiveHeap = memory >> 22

func checkPolicy(p matrix.Policy) error {
	if n, err := strconv.Atoi(p.GC); p.GC != "off" && (err != nil || n < 1) {
		return fmt.Errorf("--gc is %q; it must be a percentage or off", p.GC)
	}
	for i, n := range p.Procs {
		if n < 1 || n > measure.MostProcs {
			return fmt.Errorf("--procs is %d; it must be at least 1 and at most %d", n, measure.MostProcs)
		}
		if slices.Contains(p.Procs[:i], n) {
			return fmt.Errorf("--procs has %d twice", n)
		}
	}
	if len(p.Procs) == 0 {
		return errors.New("--procs has no number")
	}
	if p.LiveHeap < 0 || p.LiveHeap > maxLiveHeap {
		return fmt.Errorf("--live-heap is %d; it must be at least 0 and at most %d MB",
			p.LiveHeap, maxLiveHeap)
	}
	return nil
}

func newCellsCommand() *cobra.Command {
	var (
		filter   matrix.Filter
		policy   matrix.Policy
		given    givenFlags
		jsonText bool
	)

	cmd := &cobra.Command{
		Use:   "cells",
		Short: "List the matrix: which cells exist, and why others do not",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkPolicy(policy); err != nil {
				return err
			}

			if err := given.read(&filter); err != nil {
				return err
			}
			selection, err := matrix.Select(filter, policy)
			if err != nil {
				return err
			}
			if err := selection.Check(cmd.Context()); err != nil {
				return err
			}
			if jsonText {
				return printable.JSON(cmd.OutOrStdout(), selection)
			}

			var table strings.Builder
			tw := tabwriter.NewWriter(&table, 0, 8, 1, ' ', 0)
			fmt.Fprintln(tw, " \tformat\tsuite\tengine\talg.\tschema\tcontexts\t")
			last := []string{"present"} // of each line

			for _, e := range selection.Entries {
				mark, what, c := " ", e.Present, e.Cell
				if e.Default {
					mark = "*"
				}
				if c.Granularity != compare.Leaf {
					what += ", " + c.Granularity.String()
				}
				if e.Unsupported != nil {
					what = "! " + e.Unsupported.Error()
				}
				fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", mark, c.Format, c.Suite, c.Engine,
					c.Algorithm, printable.Line(c.Schema), c.Contexts)
				last = append(last, printable.Line(what))
			}

			if err := tw.Flush(); err != nil {
				return err
			}

			p := printable.Printer{W: cmd.OutOrStdout(), Width: columns}
			for line := range strings.Lines(table.String()) {
				line = strings.TrimSuffix(line, "\n")
				if utf8.RuneCountInString(line+last[0]) <= columns {
					fmt.Fprintln(p.W, strings.TrimRight(line+last[0], " "))
				} else {
					fmt.Fprintln(p.W, strings.TrimRight(line, " "))
					p.Line("    %s", last[0])
				}
				last = last[1:]
			}
			p.Line("")
			p.Line("* in the default run. Documents have the operation %s, the format %s %s, "+
				"all others %s; GOGC=%s, GOMAXPROCS=%s.", compare.Canonize,
				compare.Floor, strings.Join(choice.Names(compare.Whole), " and "),
				strings.Join(choice.Names(compare.OfCredentials), ", "), policy.GC, numbers(policy.Procs))

			return p.Err
		},
	}

	matrixFlags(cmd, &filter, &policy, &given)
	cmd.Flags().BoolVar(&jsonText, "json", false, "print JSON")
	return cmd
}

// numbers joins some numbers: 1 and 2.
func numbers(all []int) string {
	var text []string
	for _, n := range all {
		text = append(text, strconv.Itoa(n))
	}
	return strings.Join(text, " and ")
}
