"""Export of suites for benchmark-tool, by which Potassco runs benchmarks on clusters."""
